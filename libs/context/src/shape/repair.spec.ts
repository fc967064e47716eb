import { EventLog } from '../testing/event-log.js';
import { wholeItems } from '../testing/shown-items.js';
import type { ApiFormat } from '../neutral.js';
import { lint, repairConversation } from './index.js';
import { shape } from '../testing/shape-items.js';

/** `U1`, `A2(2.0)`, `T3[2.0]=text`, results that were made up without a number. */
function sketch(log: EventLog): string[] {
  return repairConversation(log.events).entries.map((entry) => {
    if (entry.kind === 'assistant')
      return `A${entry.entry}${entry.calls.length > 0 ? `(${entry.calls.map((_, ordinal) => ordinal).join()})` : ''}`;
    if (entry.kind !== 'result') return `${entry.kind === 'user' ? 'U' : entry.kind}${entry.entry}`;
    const [part] = entry.content;
    return `T${entry.entry ?? ''}[${entry.call.entry}.${entry.call.ordinal}]=${part?.type === 'text' ? part.text : ''}`;
  });
}
const rules = (log: EventLog): string[] =>
  repairConversation(log.events).repairs.map((repair) => `${repair.rule} ${repair.entries.join()}`);
const clean = (log: EventLog, apiFormat: ApiFormat = 'openai_chat') => {
  const { messages } = shape(wholeItems(repairConversation(log.events).entries), {
    apiFormat,
    id: 'test:model',
    images: true,
    documents: true,
  });
  return lint({ system: null, tools: [], messages: messages.map(({ message }) => message) }, apiFormat);
};

describe('repairConversation', () => {
  it('leaves out a result without a call, and says so (rows 1, 11)', () => {
    const log = new EventLog()
      .user('q')
      .answer('', [{}])
      .result(0, 'x')
      .result(7, 'orphan')
      .result(0, 'nobody asked', { callNo: 9 });
    expect(sketch(log)).toEqual(['U1', 'A2(0)', 'T3[2.0]=x']);
    expect(rules(log)).toEqual(['orphan_result 4', 'orphan_result 5']);
    expect(repairConversation(log.events).leftOut).toEqual([
      { entry: 4, rule: 'orphan_result' },
      { entry: 5, rule: 'orphan_result' },
    ]);
  });

  it('takes the first final result of several (row 10)', () => {
    const log = new EventLog()
      .user('q')
      .answer('', [{}])
      .result(0, 'wait', { status: 'pending' })
      .result(0, 'first')
      .result(0, 'second');
    expect(sketch(log)).toEqual(['U1', 'A2(0)', 'T4[2.0]=first']);
    expect(rules(log)).toEqual(['duplicate_result 5']);
  });

  it('shows an unanswered call as cancelled when a cancel follows (row 21)', () => {
    const log = new EventLog().user('q').answer('', [{}]).interrupted('cancelled').user('x');
    const before = structuredClone(log.events);
    expect(sketch(log)).toEqual(['U1', 'A2(0)', 'T[2.0]=[cancelled]', 'U3']);
    expect(log.events).toEqual(before);
  });

  it.each([[[]], [[0]], [[1]], [[0, 1]]])(
    'gives the same shape whichever calls had finished at the cancel: %j (row 22)',
    (finished: number[]) => {
      const log = new EventLog().user('q').answer('', [{}, {}]);
      for (const ordinal of finished) log.result(ordinal, 'done');
      log.interrupted('cancelled').user('x');
      expect(sketch(log).map((piece) => piece.replace(/^T\d*(.*)=.*/u, 'T$1'))).toEqual([
        'U1',
        'A2(0,1)',
        'T[2.0]',
        'T[2.1]',
        expect.stringMatching(/^U/u),
      ]);
      for (const format of ['openai_chat', 'anthropic', 'anthropic_thinking', 'strict_chat'] as const)
        expect(clean(log, format)).toEqual([]);
    },
  );

  it('shows an unanswered call as interrupted when nothing or a failure follows', () => {
    expect(sketch(new EventLog().user('q').answer('', [{}]))[2]).toBe('T[2.0]=[interrupted: no result was recorded]');
    expect(sketch(new EventLog().user('q').answer('', [{}]).interrupted('failed').user('x'))[2]).toBe(
      'T[2.0]=[interrupted: no result was recorded]',
    );
  });

  it('does not take the cancel of a later turn for the one of an older call', () => {
    const log = new EventLog().user('q').answer('', [{}]).user('again').answer('', [{}]).interrupted('cancelled');
    expect(sketch(log)).toEqual([
      'U1',
      'A2(0)',
      'T[2.0]=[interrupted: no result was recorded]',
      'U3',
      'A4(0)',
      'T[4.0]=[cancelled]',
    ]);
  });

  it('brings a late result to its call (row 37)', () => {
    const log = new EventLog()
      .user('q')
      .answer('', [{}, {}])
      .result(1, 'b')
      .user('x')
      .result(0, 'late')
      .answer('', [{}])
      .result(0, 'c')
      .result(0, 'too late', { callNo: 1 });
    expect(sketch(log)).toEqual(['U1', 'A2(0,1)', 'T5[2.0]=late', 'T3[2.1]=b', 'U4', 'A6(0)', 'T7[6.0]=c']);
    expect(rules(log)).toEqual(['late_result 5', 'duplicate_result 8']);
  });

  it('shows results in call order, however they came in (row 19)', () => {
    expect(
      sketch(new EventLog().user('q').answer('', [{}, {}, {}]).result(2, 'c').result(0, 'a').result(1, 'b')),
    ).toEqual(['U1', 'A2(0,1,2)', 'T4[2.0]=a', 'T5[2.1]=b', 'T3[2.2]=c']);
  });

  it("pairs by the turn, not by the provider's id, which repeats (row 20)", () => {
    const log = new EventLog()
      .user('q')
      .answer('', [{ id: 'call_0' }])
      .result(0, 'x', { id: 'call_0' })
      .answer('', [{ id: 'call_0' }])
      .result(0, 'y', { id: 'call_0' });
    expect(sketch(log)).toEqual(['U1', 'A2(0)', 'T3[2.0]=x', 'A4(0)', 'T5[4.0]=y']);
    const { messages } = shape(wholeItems(repairConversation(log.events).entries), {
      apiFormat: 'openai_chat',
      id: 'test:model',
      images: true,
      documents: true,
    });
    expect(messages.flatMap(({ message }) => (message.role === 'tool' ? [message.tool_call_id] : []))).toEqual([
      'call_2_0',
      'call_4_0',
    ]);
  });

  it('tells the calls of two runs apart though their numbers repeat', () => {
    const log = new EventLog()
      .user('q')
      .answer('', [{}], { runId: 'run_1', callNo: 1 })
      .user('r')
      .answer('', [{}], { runId: 'run_2', callNo: 1 })
      .result(0, 'of the first', { runId: 'run_1', callNo: 1 })
      .result(0, 'of the second', { runId: 'run_2', callNo: 1 });
    expect(sketch(log)).toEqual(['U1', 'A2(0)', 'T5[2.0]=of the first', 'U3', 'A4(0)', 'T6[4.0]=of the second']);
  });

  it('leaves out an answer without text and calls, and its kind (rows 26, 114)', () => {
    const log = new EventLog()
      .user('q')
      .answer('')
      .answer(' \n')
      .answer([{ type: 'thinking', text: 'hm', signature: 's' }])
      .user('x');
    expect(sketch(log)).toEqual(['U1', 'U5']);
    expect(rules(log)).toEqual(['empty_answer 2', 'empty_answer 3', 'empty_answer 4']);
  });

  it('drops the calls of an answer that was cut by length, and what answered them', () => {
    const log = new EventLog()
      .user('q')
      .answer('I will', [{}], { finish: 'length' })
      .result(0, 'x')
      .answer('', [{}], { finish: 'length' })
      .user('y');
    expect(sketch(log)).toEqual(['U1', 'A2', 'U5']);
    expect(rules(log)).toEqual(['cut_calls 2', 'cut_calls 3', 'empty_answer 4']);
  });

  it.each(['aborted', 'error'] as const)('leaves out an answer that ended with %s, with its results', (finish) => {
    expect(sketch(new EventLog().user('q').answer('part', [{}], { finish }).result(0, 'x').user('y'))).toEqual([
      'U1',
      'U4',
    ]);
  });

  it('copes with an orphan at every place of a stream (row 11)', () => {
    for (let place = 0; place < 6; place += 1) {
      const log = new EventLog();
      const steps = [
        () => log.user('q'),
        () => log.answer('', [{}]),
        () => log.result(0, 'a', { callNo: 1 }),
        () => log.answer('done'),
        () => log.user('r'),
      ];
      steps.forEach((step, index) => {
        if (index === place) log.result(5, 'orphan', { callNo: 77 });
        step();
      });
      for (const format of ['openai_chat', 'anthropic', 'anthropic_thinking', 'strict_chat'] as const)
        expect(clean(log, format)).toEqual([]);
    }
  });

  it.each([8, 20, 64, 200])(
    'keeps %i parallel calls with their results, wherever the stream is cut (rows 2, 4)',
    (calls) => {
      const log = new EventLog().user('q').answer(
        '',
        Array.from({ length: calls }, () => ({})),
      );
      for (let ordinal = 0; ordinal < calls; ordinal += 1) log.result(ordinal, `r${ordinal}`);
      log.answer('done').user('x');
      for (let cut = 1; cut <= log.events.length; cut += 7) {
        const { entries } = repairConversation(log.events.slice(cut));
        const { messages } = shape(wholeItems(entries), {
          apiFormat: 'openai_chat',
          id: 'test:model',
          images: true,
          documents: true,
        });
        expect(
          lint({ system: null, tools: [], messages: messages.map(({ message }) => message) }, 'openai_chat'),
        ).toEqual([]);
      }
      expect(sketch(log).filter((piece) => piece.startsWith('T'))).toHaveLength(calls);
    },
  );
});
