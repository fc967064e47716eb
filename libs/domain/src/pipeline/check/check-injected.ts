import { formatPath } from '../fault-writer.js';
import type { PipelineFacts } from '../pipeline-facts.js';
import type { Reading } from '../read/reading.js';

/** Context policies and JSON Schemas: checked by functions that the caller brings, their paths put below ours. */
export function checkInjected(reading: Reading, facts: PipelineFacts): void {
  for (const { path, level, value } of reading.contexts) {
    const base = formatPath(path);
    for (const fault of facts.checkContextPolicy(value, level)) {
      reading.add({
        ...fault,
        path: below(base, fault.path),
        detail: `${below(base, fault.path)}: ${fault.detail}`,
      });
    }
  }
  for (const { path, value } of reading.schemas) {
    const problem = facts.checkJsonSchema?.(value) ?? null;
    if (problem === null) continue;
    reading.fault(path, {
      code: 'bad_schema',
      found: 'a schema that cannot be used',
      expected: 'a JSON Schema',
      hint: problem,
    });
  }
}

function below(base: string, path: string): string {
  if (path === '') return base;
  return path.startsWith('[') ? `${base}${path}` : `${base}.${path}`;
}
