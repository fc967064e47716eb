import { importTranscript, repairConversation, type Repair, type Transcript } from '#libs/context';
import { SimulatedStream } from '../preview/simulated-stream.js';

/** A message that no context will show, and why. */
export type LeftOutMessage = {
  messageIndex: number;
  reason: 'system_prompt' | 'failed_answer' | 'result_without_call';
};

export type ImportReport = {
  messages: number;
  entries: number;
  answers: number;
  results: number;
  /** What reading the stream back will mend. `entries` count from the first imported one. */
  repairs: Repair[];
  leftOut: LeftOutMessage[];
};

/** What an import of the transcript makes, before anything is stored. */
export function importReport(transcript: Transcript): ImportReport {
  const { plan, steps } = importTranscript(transcript, { origin: 'import', model: '', callNumbers: 'import' });
  const stream = new SimulatedStream('import:step:agent');
  for (const step of steps) if (step.kind === 'event') stream.append(null, step.event.type, step.event.data);
  const count = (type: string): number => stream.events.filter((event) => event.type === type).length;
  const failed = steps.flatMap((step) =>
    step.kind === 'call' && step.call.outcome.kind === 'failed' && step.call.outcome.reason !== 'empty'
      ? [step.call.messageIndex]
      : [],
  );
  const first = transcript.messages.findIndex((message) => message.role !== 'system');
  const prompts = [...transcript.messages.keys()].slice(0, first === -1 ? undefined : first);
  const leftOut = [
    ...prompts.map((messageIndex): LeftOutMessage => ({ messageIndex, reason: 'system_prompt' })),
    ...failed.map((messageIndex): LeftOutMessage => ({ messageIndex, reason: 'failed_answer' })),
    ...plan.unusedResults.map((messageIndex): LeftOutMessage => ({ messageIndex, reason: 'result_without_call' })),
  ];
  return {
    messages: transcript.messages.length,
    entries: stream.events.filter((event) => event.entry !== null).length,
    answers: count('LlmCallCompleted'),
    results: count('ToolCallCompleted'),
    repairs: repairConversation(stream.events).repairs,
    leftOut: leftOut.toSorted((one, other) => one.messageIndex - other.messageIndex),
  };
}
