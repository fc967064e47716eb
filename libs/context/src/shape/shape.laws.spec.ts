import fc from 'fast-check';
import { API_FORMATS } from '../neutral.js';
import { lawRuns } from '../testing/law-runs.js';
import { randomStream } from '../testing/random-stream.js';
import { wholeItems } from '../testing/shown-items.js';
import type { ShownItem } from '../view/entry.js';
import { fitItem } from './fit-item.js';
import { formatProfile, lint, repairConversation, type Repair } from './index.js';
import { shape } from '../testing/shape-items.js';

const runs = lawRuns(300);
const model = { id: 'test:model', images: true, documents: true };

describe('the repair and the linter, over any stored stream', () => {
  it('find nothing left to object to, in every format', () => {
    fc.assert(
      fc.property(randomStream(), fc.constantFrom(...API_FORMATS), fc.boolean(), (events, apiFormat, images) => {
        const { entries } = repairConversation(events);
        const items = wholeItems(entries);
        const { messages } = shape(items, { ...model, images, apiFormat });
        const answers = messages.flatMap((message, index) => {
          const entry = entries.find(
            (candidate) => candidate.kind === 'assistant' && candidate.entry === message.entries[0],
          );
          return entry?.kind === 'assistant' && message.entries.length === 1 && message.message.content.length > 0
            ? [{ index, model: entry.model, content: entry.content }]
            : [];
        });
        const request = { system: null, tools: [], messages: messages.map(({ message }) => message) };
        expect(lint(request, apiFormat, { model: { ...model, images }, answers })).toEqual([]);
      }),
      { numRuns: runs },
    );
  });

  it('give each entry one place: in the conversation or among those left out', () => {
    fc.assert(
      fc.property(randomStream(), (events) => {
        const { entries, leftOut } = repairConversation(events);
        const placed = [
          ...entries.flatMap((entry) => (entry.entry === null ? [] : [entry.entry])),
          ...leftOut.map(({ entry }) => entry),
        ];
        const stored = events.flatMap((event) => (event.entry === null ? [] : [event.entry]));
        expect(placed.toSorted((a, b) => a - b)).toEqual(stored);
      }),
      { numRuns: runs },
    );
  });

  it('put exactly one result for each call directly behind its answer, in call order', () => {
    fc.assert(
      fc.property(randomStream(), (events) => {
        const { entries } = repairConversation(events);
        const expected = entries.flatMap((entry) =>
          entry.kind === 'assistant' ? entry.calls.map((_, ordinal) => `${entry.entry}.${ordinal}`) : [],
        );
        const answered = entries.flatMap((entry) =>
          entry.kind === 'result' ? [`${entry.call.entry}.${entry.call.ordinal}`] : [],
        );
        expect(answered).toEqual(expected);
        entries.forEach((entry, index) => {
          if (entry.kind === 'result') expect(['assistant', 'result']).toContain(entries[index - 1]?.kind);
        });
      }),
      { numRuns: runs },
    );
  });

  it('change nothing when they are applied again', () => {
    fc.assert(
      fc.property(randomStream(), fc.constantFrom(...API_FORMATS), (events, apiFormat) => {
        const rules = { profile: formatProfile(apiFormat), images: true, documents: true, modelId: model.id };
        const once = wholeItems(repairConversation(events).entries).map((item) => fitItem(item, rules, []));
        const repairs: Repair[] = [];
        const twice = once.map((item: ShownItem) => fitItem(item, rules, repairs));
        expect(twice).toEqual(once);
        expect(repairs).toEqual([]);
      }),
      { numRuns: runs },
    );
  });

  it('never change their input, and give equal bytes for equal input', () => {
    fc.assert(
      fc.property(randomStream(), fc.constantFrom(...API_FORMATS), (events, apiFormat) => {
        const before = structuredClone(events);
        const build = (): string =>
          JSON.stringify(shape(wholeItems(repairConversation(events).entries), { ...model, apiFormat }));
        const first = build();
        expect(build()).toBe(first);
        expect(events).toEqual(before);
      }),
      { numRuns: runs },
    );
  });

  it('keep the id of a call whatever part of the stream is read', () => {
    fc.assert(
      fc.property(randomStream(), fc.constantFrom(...API_FORMATS), fc.nat(), (events, apiFormat, cut) => {
        const idsOf = (part: typeof events): Map<string, string> => {
          const { messages } = shape(wholeItems(repairConversation(part).entries), { ...model, apiFormat });
          return new Map(
            messages.flatMap(({ message, entries }) =>
              message.role === 'assistant' && entries.length === 1
                ? message.tool_calls.map((call, at): [string, string] => [
                    `${entries[0]}.${at}.${message.tool_calls.length}`,
                    call.id,
                  ])
                : [],
            ),
          );
        };
        const whole = idsOf(events);
        for (const [call, id] of idsOf(events.slice(cut % (events.length + 1)))) expect(whole.get(call) ?? id).toBe(id);
      }),
      { numRuns: runs },
    );
  });
});
