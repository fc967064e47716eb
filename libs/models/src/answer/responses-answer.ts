import { reasoningItemPart } from '#libs/context';
import { jsonObjectSchema, type FinishReason, type Usage } from '#libs/domain';
import { z } from 'zod';
import type { ReceivedAnswer } from './received-answer.js';

const text = z.string().nullish();
const index = z.number().int().nonnegative();
const count = z.number().int().nonnegative();
const usageShape = z.object({
  input_tokens: count,
  output_tokens: count,
  input_tokens_details: z.object({ cached_tokens: count.nullish() }).nullish(),
});
const errorShape = z.looseObject({ code: text, message: text });
const response = z.object({
  id: text,
  model: text,
  service_tier: text,
  status: text,
  error: errorShape.nullish(),
  incomplete_details: z.object({ reason: text }).nullish(),
  usage: usageShape.nullish().catch(null),
});
const item = z.looseObject({ type: z.string(), call_id: text, name: text, arguments: text });
const event = z.looseObject({
  type: z.string(),
  output_index: index.default(0),
  content_index: index.default(0),
  delta: text,
  item: item.optional(),
  response: response.optional(),
});

type Event = z.infer<typeof event>;

/** Parts of one message of the answer: enough for any. */
const PARTS_PER_ITEM = 1_000;

/** An error that came inside a stream, in the form in which the SDK keeps one: `classifyThrown` reads it there. */
class ResponseFailed extends Error {
  constructor(readonly error: { code: string; message: string }) {
    super(error.message);
  }
}

/** Reads the events of one Responses stream into an answer. */
export class ResponsesReader {
  /** `output_index` of the calls so far. */
  private readonly calls: number[] = [];

  constructor(private readonly answer: ReceivedAnswer) {}

  /**
   * Adds one event. Returns the text it brought.
   * @throws ResponseFailed when it says that the answer failed, ZodError when it is no event.
   */
  add(raw: unknown): string {
    const given = event.parse(raw);
    switch (given.type) {
      case 'response.output_text.delta':
        this.answer.addText(partIndex(given), given.delta ?? '');
        return given.delta ?? '';
      case 'response.refusal.delta':
        this.answer.refusal = (this.answer.refusal ?? '') + (given.delta ?? '');
        break;
      case 'response.function_call_arguments.delta':
        this.answer.addCall(given.output_index, { piece: given.delta });
        break;
      case 'response.output_item.added':
        this.addItem(given);
        break;
      case 'response.output_item.done':
        this.endItem(given, raw);
        break;
      case 'response.completed':
      case 'response.incomplete':
        this.end(given);
        break;
      case 'response.failed':
        throw failed(given.response?.error);
      case 'error':
        throw failed(errorShape.parse(raw));
    }
    return '';
  }

  private addItem({ output_index: at, item: added }: Event): void {
    if (added?.type !== 'function_call') return;
    this.calls.push(at);
    this.answer.addCall(at, { id: added.call_id, name: added.name, piece: added.arguments });
  }

  /** Reasoning is kept whole, with its place among the calls; a kind of item that is not known, too. */
  private endItem({ output_index: at, item: done }: Event, raw: unknown): void {
    if (done === undefined || done.type === 'message' || done.type === 'function_call') return;
    const stored = jsonObjectSchema.parse(z.object({ item: z.unknown() }).parse(raw).item);
    this.answer.addPart(
      at * PARTS_PER_ITEM,
      done.type === 'reasoning'
        ? reasoningItemPart({ item: stored, calls_before: this.calls.filter((call) => call < at).length })
        : { type: 'opaque', provider: 'openai', raw: stored },
    );
  }

  private end({ response: ended }: Event): void {
    if (ended === undefined) return;
    const { payload } = this.answer;
    for (const key of ['id', 'model', 'service_tier'] as const) {
      const value = ended[key];
      if (typeof value === 'string') payload[key] = value;
    }
    if (ended.usage !== null && ended.usage !== undefined) this.answer.usage = usageOf(ended.usage);
    this.answer.finishReason = finishOf(ended, this.calls.length > 0);
  }
}

const partIndex = ({ output_index: at, content_index: part }: Event): number => at * PARTS_PER_ITEM + part;

const failed = (error: z.infer<typeof errorShape> | null | undefined): ResponseFailed =>
  new ResponseFailed({ code: error?.code ?? 'server_error', message: error?.message ?? 'the response failed' });

const usageOf = ({
  input_tokens,
  output_tokens,
  input_tokens_details: details,
}: z.infer<typeof usageShape>): Usage => ({
  input_tokens,
  output_tokens,
  cached_tokens: details?.cached_tokens ?? 0,
  cache_write_tokens: 0,
});

function finishOf({ status, incomplete_details: details }: z.infer<typeof response>, hasCalls: boolean): FinishReason {
  if (status !== 'incomplete') return hasCalls ? 'tool_calls' : 'stop';
  if (details?.reason === 'max_output_tokens') return 'length';
  return details?.reason === 'content_filter' ? 'content_filter' : 'other';
}
