import { importTranscript, type ImportStep } from '../import-transcript.js';
import type { ReplayPlan, Transcript } from '../transcript/index.js';
import { EventLog } from './event-log.js';

/** A recorded session as stored events; `prefixes[n]` is how many of them stand before model call n + 1. */
export function transcriptLog(transcript: Transcript): {
  log: EventLog;
  prefixes: { events: number; step: Extract<ImportStep, { kind: 'call' }> }[];
  plan: ReplayPlan;
} {
  const { plan, steps } = importTranscript(transcript, { origin: 'task', model: 'test:model', callNumbers: 'run' });
  const log = new EventLog();
  const prefixes: { events: number; step: Extract<ImportStep, { kind: 'call' }> }[] = [];
  for (const step of steps) {
    if (step.kind === 'call') prefixes.push({ events: log.events.length, step });
    else log.append(step.event.type, step.event.data as never, 0, { runId: `run_${step.event.run}` });
  }
  return { log, prefixes, plan };
}
