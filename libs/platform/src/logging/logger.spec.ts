import fc from 'fast-check';
import { createLogger, withContext } from './logger.js';
import { NestLogger } from './nest-logger.js';

function capture(): { lines: Record<string, unknown>[]; write: (line: string) => void } {
  const lines: Record<string, unknown>[] = [];
  return { lines, write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
}

describe('logger', () => {
  it('carries the ids of run and step', () => {
    const sink = capture();
    withContext(createLogger({ name: 'worker' }, sink), { run_id: 'run_1', step_id: 'answer' }).info('claimed');
    expect(sink.lines[0]).toMatchObject({
      name: 'worker',
      level: 'info',
      run_id: 'run_1',
      step_id: 'answer',
      msg: 'claimed',
    });
  });

  it('never writes payloads or credentials', () => {
    const sink = capture();
    const fields = {
      inputs: { name: 'Ann' },
      request: { headers: { authorization: 'Bearer x' }, body: 'text' },
      api_key: 'k',
    };
    createLogger({ name: 'api' }, sink).info(fields, 'request');
    expect(JSON.stringify(sink.lines)).not.toMatch(/Ann|Bearer|"text"|"k"/);
  });

  it('writes one line for one record, whatever ids and messages hold', () => {
    const written: string[] = [];
    const logger = createLogger({ name: 'api' }, { write: (line: string) => void written.push(line) });
    const odd = fc.string({
      unit: fc.oneof(fc.constantFrom('\n', '\r', '"}', '{"level":"fatal"}', '\u001b[2J'), fc.string()),
    });
    fc.assert(
      fc.property(odd, odd, (id, text) => {
        written.length = 0;
        withContext(logger, { run_id: id }).error({ err: new Error(text) }, text);
        expect(written).toEqual([expect.stringMatching(/^\{"level":"error"[^\n\r\u001b]*\}\n$/)]);
        expect(JSON.parse(written[0] ?? '')).toMatchObject({ level: 'error', run_id: id, msg: text });
      }),
    );
  });

  it('speaks Nest: the last argument is the context, an error keeps its stack', () => {
    const sink = capture();
    const nest = new NestLogger(createLogger({ name: 'api' }, sink));
    nest.log('started', 'NestApplication');
    nest.error(new Error('broken'), 'Error: broken\n    at somewhere', 'ExceptionsHandler');
    expect(sink.lines[0]).toMatchObject({ level: 'info', context: 'NestApplication', msg: 'started' });
    expect(sink.lines[1]).toMatchObject({ level: 'error', context: 'ExceptionsHandler', msg: 'broken' });
    expect(sink.lines[1]?.['err']).toMatchObject({ message: 'broken' });
  });
});
