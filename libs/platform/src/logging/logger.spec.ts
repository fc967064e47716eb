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
