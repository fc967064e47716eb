import { isEntryType } from '#libs/domain';
import type { AppendUnit, Fence, UsageDelta } from '#libs/engine';
import { storedForm } from '../encoding/stored-json.js';

/** Bodies over this many bytes of JSON text go to `payload`. */
export const MAX_INLINE_BYTES = 32 * 1024;

export type StoredBody = { projectId: string; hash: string; json: string; bytes: number };
/** The two JSON parameters of the append statement, and the bodies to store before it. */
export type FlightParameters = { units: string; events: string; bodies: StoredBody[] };

/** `unitRow`: the members of a unit that the statement asks for, from `placedUnit` on. */
export function flightParameters(
  units: readonly AppendUnit[],
  unitRow: (unit: AppendUnit, no: number) => PlacedUnit,
): FlightParameters {
  const bodies: StoredBody[] = [];
  const events = units.flatMap((unit, no) => eventRows(unit, no, bodies));
  return { units: JSON.stringify(units.map(unitRow)), events: `[${events.join(',')}]`, bodies };
}

type PlacedUnit = { no: number; project_id: string; stream_id: string; events: number; entries: number };

export const placedUnit = ({ projectId, streamId, events }: AppendUnit, no: number): PlacedUnit => ({
  no,
  project_id: projectId,
  stream_id: streamId,
  events: events.length,
  entries: events.filter(({ type }) => isEntryType(type)).length,
});

/** One that is appended under conditions. */
export function conditionedUnit(unit: AppendUnit, no: number) {
  const { fence, usage } = unit;
  return {
    ...placedUnit(unit, no),
    expected: unit.expectedVersion ?? null,
    event_ids: unit.events.map(({ eventId }) => eventId),
    ...(fence === undefined ? {} : fenceColumns(fence, usage)),
  };
}

function fenceColumns(fence: Fence, usage: UsageDelta | undefined) {
  return {
    fence_kind: fence.kind,
    fence_id: fence.id,
    fence: fence.fence,
    spends: usage !== undefined,
    input_tokens: usage?.usage?.input_tokens ?? 0,
    cached_tokens: usage?.usage?.cached_tokens ?? 0,
    output_tokens: usage?.usage?.output_tokens ?? 0,
    cost_usd: usage?.costUsd ?? 0,
    model_calls: usage?.modelCalls ?? 0,
    tool_calls: usage?.toolCalls ?? 0,
  };
}

/** JSON texts, one an event, without what is null in it. */
function eventRows(unit: AppendUnit, no: number, bodies: StoredBody[]): string[] {
  let entries = 0;
  return unit.events.map((event, index) => {
    const json = storedForm(event.json);
    const bytes = Buffer.byteLength(json);
    const isInline = bytes <= MAX_INLINE_BYTES;
    if (!isInline) bodies.push({ projectId: unit.projectId, hash: event.digest, json, bytes });
    const isEntry = isEntryType(event.type);
    if (isEntry) entries += 1;
    const row = {
      unit: no,
      n: index + 1,
      entry_n: isEntry ? entries : undefined,
      event_id: event.eventId,
      type: event.type,
      schema_version: event.schemaVersion,
      run_id: event.runId ?? undefined,
      step_id: event.stepId ?? undefined,
      item: event.item ?? undefined,
      round: event.round,
      payload_hash: isInline ? undefined : event.digest,
      digest: event.digest,
      chars: event.chars,
    };
    return `${JSON.stringify(row).slice(0, -1)}${isInline ? `,"data":${json}` : ''}}`;
  });
}
