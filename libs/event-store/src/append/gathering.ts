/**
 * Gathers questions: what is ready while the previous answer is under way goes together in the next one. No timer: a question
 * that finds nothing under way leaves at once, with those of the same turn of the event loop. `answerAll` answers in their order;
 * when it throws, so does each question of that gathering, unless `answerOne` is given to answer them one by one.
 */
export class Gathering<Question, Answer> {
  private pending: Waiting<Question, Answer>[] = [];
  private isUnderWay = false;

  constructor(
    private readonly answerAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
    private readonly answerOne: ((question: Question, error: unknown) => Promise<Answer>) | null = null,
    private readonly most = 64,
  ) {}

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.pending.push({ question, resolve, reject });
      if (this.isUnderWay) return;
      this.isUnderWay = true;
      process.nextTick(() => void this.leave());
    });
  }

  private async leave(): Promise<void> {
    while (this.pending.length > 0) await this.settle(this.pending.splice(0, this.most));
    this.isUnderWay = false;
  }

  /** Never throws: each question's promise carries what happened to it. */
  private async settle(gathered: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.answerAll(gathered.map(({ question }) => question));
      if (answers.length !== gathered.length)
        throw new RangeError(`${gathered.length} questions came back with ${answers.length} answers`);
      gathered.forEach(({ resolve }, index) => resolve(answers[index] as Answer));
    } catch (error) {
      const { answerOne } = this;
      if (answerOne === null) return gathered.forEach(({ reject }) => reject(error));
      await Promise.all(
        gathered.map(({ question, resolve, reject }) => answerOne(question, error).then(resolve, reject)),
      );
    }
  }
}

type Waiting<Question, Answer> = {
  question: Question;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};

/** For `answerAll`: asks once for equal questions, side by side for others. Questions are JSON. */
export function oncePerQuestion<Question, Answer>(
  answer: (question: Question) => Promise<Answer>,
): (questions: readonly Question[]) => Promise<Answer[]> {
  return (questions) => {
    const answers = new Map<string, Promise<Answer>>();
    return Promise.all(
      questions.map((question) => {
        const key = JSON.stringify(question);
        const known = answers.get(key) ?? answer(question);
        answers.set(key, known);
        return known;
      }),
    );
  };
}
