import { Gathering, oncePerQuestion } from './gathering.js';

describe('gathering', () => {
  it('asks together what came while the last answer was under way', async () => {
    const gathered: number[][] = [];
    let answer: () => void = () => undefined;
    const gathering = new Gathering<number, number>(async (questions) => {
      gathered.push([...questions]);
      if (gathered.length === 1) await new Promise<void>((resolve) => (answer = resolve));
      return questions.map((question) => question * 2);
    });
    const first = [gathering.ask(1), gathering.ask(2)];
    await new Promise((resolve) => setImmediate(resolve));
    const later = [gathering.ask(3), gathering.ask(4)];
    answer();
    await expect(Promise.all([...first, ...later])).resolves.toEqual([2, 4, 6, 8]);
    expect(gathered).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('asks for no more at once than it may', async () => {
    const sizes: number[] = [];
    const gathering = new Gathering<number, number>(
      async (questions) => {
        sizes.push(questions.length);
        return questions;
      },
      null,
      2,
    );
    await Promise.all([1, 2, 3, 4, 5].map((one) => gathering.ask(one)));
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('asks one by one when the common answer fails, so that one question fails for itself alone', async () => {
    const answerOne = async (question: number): Promise<number> => {
      if (question === 2) throw new Error('two');
      return question;
    };
    const gathering = new Gathering<number, number>(() => Promise.reject(new Error('all')), answerOne);
    const settled = await Promise.allSettled([1, 2, 3].map((one) => gathering.ask(one)));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(gathering.ask(4)).resolves.toBe(4);
  });

  it('asks once for equal questions', async () => {
    const asked: string[] = [];
    const gathering = new Gathering<[string], string>(
      oncePerQuestion(async ([name]) => {
        asked.push(name);
        return name.toUpperCase();
      }),
    );
    const answers = await Promise.all(['a', 'b', 'a'].map((name) => gathering.ask([name])));
    expect([answers, asked]).toEqual([
      ['A', 'B', 'A'],
      ['a', 'b'],
    ]);
  });
});
