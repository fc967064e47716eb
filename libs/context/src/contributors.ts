import type { Contributor } from './build-result.js';
import type { Caps } from './caps.js';
import type { Layout } from './layout.js';
import { fixedParts } from './measure/fixed-parts.js';
import type { Manifest } from './neutral.js';
import type { Cell } from './stages/stage.js';

const SHOWN_CONTRIBUTORS = 5;

/** The five largest parts of a request that is over its cap. */
export function largestContributors(layout: Layout, manifest: Manifest): Contributor[] {
  const fixed = fixedParts(manifest);
  const all: Contributor[] = [
    { kind: 'system_prompt', entry: null, name: null, chars: fixed.systemChars },
    { kind: 'tools', entry: null, name: null, chars: fixed.toolsChars },
    { kind: 'summary', entry: null, name: null, chars: layout.summary?.chars ?? 0 },
    { kind: 'memory', entry: null, name: null, chars: layout.memory?.chars ?? 0 },
    ...[...layout.pinned, ...layout.tail].map(contributorOf),
  ];
  return all
    .filter(({ chars }) => chars > 0)
    .sort((a, b) => b.chars - a.chars)
    .slice(0, SHOWN_CONTRIBUTORS);
}

function contributorOf(cell: Cell): Contributor {
  const { source } = cell.entry;
  const name = source.kind === 'result' || source.kind === 'documents' ? source.name : null;
  return {
    kind: source.kind === 'result' ? 'tool_result' : source.kind,
    entry: source.entry,
    name,
    chars: cell.shown?.chars ?? 0,
  };
}

/** What the author can turn, as a sentence. */
export function knobFor(largest: Contributor | undefined, caps: Caps): string {
  const raise = raiseWhat(caps);
  switch (largest?.kind ?? 'user') {
    case 'system_prompt':
      return `shorten the agent's system_prompt, or ${raise}`;
    case 'tools':
      return `give the agent fewer tools or shorter schemas, or ${raise}`;
    case 'memory':
      return `lower context.memory.max_value_chars, or ${raise}`;
    case 'tool_result':
      return `let the tool ${largest?.name ?? ''} return less, lower context.window.observation_window, or ${raise}`;
    case 'documents':
      return `hand over shorter documents, or ${raise}`;
    default:
      return `shorten the input, or ${raise}`;
  }
}

function raiseWhat(caps: Caps): string {
  switch (caps.boundBy) {
    case 'model':
      return "use a model with a larger window (the model's window less max_output_tokens is the cap)";
    case 'provider':
      return 'use a model with a larger window (the provider refused a request of this size)';
    case 'policy':
    case null:
      return 'raise context.window.hard_cap_chars';
  }
}
