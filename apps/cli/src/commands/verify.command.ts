import type { Command } from 'commander';
import { dataOf } from '#libs/client';
import { overApi } from '../client/api.js';
import { exitCodes } from '../terminal/exit-code.js';
import { whole } from '../terminal/numbers.js';
import { createOutput } from '../terminal/output.js';
import { createStyle } from '../terminal/style.js';

export function registerVerify(program: Command): void {
  program
    .command('verify')
    .description(
      'Check a stream and its sub-streams: gaps, digests, contexts of its calls; exit code 1 when there are faults',
    )
    .argument('<stream>', 'a stream or sub-stream')
    .action(async (stream: string, flags: { json?: true }) => {
      const output = createOutput(flags.json === true);
      const style = createStyle();
      const path = { stream };
      const found = await overApi((client) =>
        dataOf(client.api.POST('/v1/admin/streams/{stream}/verify', { params: { path } })),
      );
      output.json({ event: 'verified', ...found });
      const erased = found.erased === 0 ? '' : ` (${whole(found.erased)} erased)`;
      const checked = `${whole(found.events)} events${erased} in ${whole(found.logs)} logs, ${whole(found.calls)} contexts`;
      output.text(`${style('bold', stream)}  ${found.ok ? style('green', 'ok') : style('red', 'faults')}  ${checked}`);
      for (const fault of found.faults)
        output.text(`  ${fault.stream_id}#${fault.seq}  ${fault.code}: ${fault.detail}`);
      if (!found.ok) process.exitCode = exitCodes.failed;
    });
}
