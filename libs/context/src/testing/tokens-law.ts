import type { ReadyBuild } from '../build-result.js';
import { fixedParts } from '../measure/fixed-parts.js';
import { callsTokens, partsTokens } from '../measure/part-tokens.js';
import type { NeutralMessage } from '../neutral.js';
import type { RepairRule } from '../shape/index.js';
import { baseSchema } from '../view/recorded-build.js';
import { hold } from './broken-law.js';
import type { Session } from './session.js';

/** Of what shape adds and moves the layout knows nothing. */
const BY_SHAPE: ReadonlySet<RepairRule> = new Set([
  'opening',
  'closing',
  'answer_between',
  'merged',
  'calls_split',
  'part_described',
  'part_moved',
]);

/** The raw estimate of a request is that of its messages, whether it was counted or goes on from the last call's record. */
export function checkTokens({ manifest }: Session, build: ReadyBuild): void {
  if (build.repairs.some(({ rule }) => BY_SHAPE.has(rule))) return;
  const { raw_tokens: known } = baseSchema.parse(build.report['base']);
  const { weights } = manifest.model;
  const tokensOf = (message: NeutralMessage): number =>
    4 + partsTokens(message.content, weights) + (message.role === 'assistant' ? callsTokens(message.tool_calls) : 0);
  const counted = build.request.messages.reduce((sum, message) => sum + tokensOf(message), fixedParts(manifest).tokens);
  hold(
    'tokens',
    Math.abs(counted - known) < 1e-6,
    () => `${known} raw tokens in the report, ${counted} in the request`,
  );
}
