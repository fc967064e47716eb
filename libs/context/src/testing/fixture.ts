import { z } from 'zod';
import { isEventType, jsonObjectSchema, jsonSchema, type Json, type JsonObject } from '#libs/domain';
import { API_FORMATS } from '../neutral.js';

/** `{"$repeat": [text, n]}` anywhere in a fixture stands for the text n times over. */
const expanded = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(expanded);
  if (typeof value !== 'object' || value === null) return value;
  const repeat = z.tuple([z.string(), z.number()]).safeParse(value['$repeat']);
  if (repeat.success) return repeat.data[0].repeat(repeat.data[1]);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expanded(member)]));
};

const eventSchema = z.strictObject({
  type: z.string().refine(isEventType),
  /** Without what `play-fixture.ts` fills in: numbers of calls, models, prices. */
  data: jsonObjectSchema,
  run: z.string().optional(),
});

/** `{"repeat": n, "events": […]}` stands for the events n times over, `{n}` in their texts for the round. */
const eventsSchema = z
  .array(z.union([eventSchema, z.strictObject({ repeat: z.number(), events: z.array(eventSchema) })]))
  .transform((list) =>
    list.flatMap((one) =>
      'repeat' in one
        ? Array.from({ length: one.repeat }, (_, n) => one.events.map((event) => numbered(event, n))).flat()
        : [one],
    ),
  );

const numbered = <T>(event: T, n: number): T => JSON.parse(JSON.stringify(event).replaceAll('{n}', String(n))) as T;

const messageSchema = z.strictObject({
  role: z.enum(['user', 'assistant', 'tool']),
  /** All of the text, or a part of it. */
  text: z.string().optional(),
  contains: z.string().optional(),
  /** Names of the calls. */
  calls: z.array(z.string()).optional(),
  parts: z.array(z.string()).optional(),
  status: z.string().optional(),
  state: z.string().optional(),
  entries: z.array(z.number()).optional(),
  pinned: z.boolean().optional(),
});

const expectSchema = z.strictObject({
  outcome: z.enum(['ready', 'wait', 'over_hard_cap']),
  messages: z.array(messageSchema).optional(),
  /** `[first entry, last entry, state]`. */
  omitted: z.array(z.tuple([z.number(), z.number(), z.string()])).optional(),
  /** Rules of the report's repairs, each once. */
  repairs: z.array(z.string()).optional(),
  /** Parts of the result: `reason`, `frontier`, `report`, `proposal`, `contributors`, `knob`, `chars`. */
  result: jsonObjectSchema.optional(),
  chars: z.strictObject({ min: z.number().optional(), max: z.number().optional() }).optional(),
  tokens: z.strictObject({ min: z.number().optional(), max: z.number().optional() }).optional(),
  /** The messages of the build before are the beginning of this one's. */
  extends_previous: z.boolean().optional(),
  unique_call_ids: z.boolean().optional(),
  /** Body in the provider's form: its messages. */
  wire: z.array(jsonSchema).optional(),
});
export type FixtureExpectation = z.output<typeof expectSchema>;

const fixtureSchema = z.strictObject({
  rows: z.array(z.string()).min(1),
  says: z.string(),
  events: eventsSchema,
  /** A `context` block, or several that are each tried. */
  policy: z.union([jsonObjectSchema, z.array(jsonObjectSchema)]),
  /** Facts besides the defaults; `apiFormat: "every"` tries all. */
  model: z.looseObject({ apiFormat: z.enum([...API_FORMATS, 'every']).optional() }),
  manifest: z
    .strictObject({ system_prompt: z.string().nullable().optional(), tools: z.array(jsonObjectSchema).optional() })
    .optional(),
  /** A view of its own run after this seq. */
  fresh_after: z.number().optional(),
  run_active: z.boolean().optional(),
  expect: expectSchema,
  /** What happens after the request was sent, and what the next build must be. */
  then: z.array(z.strictObject({ events: eventsSchema, expect: expectSchema })).optional(),
});
export type Fixture = z.output<typeof fixtureSchema>;
export type FixtureEvent = z.output<typeof eventSchema>;

/** @throws ZodError when the file is no fixture. */
export const readFixture = (json: string): Fixture => fixtureSchema.parse(expanded(jsonSchema.parse(JSON.parse(json))));

export const policiesOf = ({ policy }: Fixture): JsonObject[] => (Array.isArray(policy) ? policy : [policy]);
