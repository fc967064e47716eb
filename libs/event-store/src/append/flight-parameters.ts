import { isEntryType } from '#libs/domain';
import type { AppendUnit, Fence, UsageDelta } from '#libs/engine';
import { toStoredJson } from '../encoding/stored-json.js';

/** Bodies over this many bytes of JSON text go to `payload`. */
export const MAX_INLINE_BYTES = 32 * 1024;

export type StoredBody = { projectId: string; hash: string; json: string; bytes: number };
/** The two JSON parameters of the append statement, and the bodies to store before it. */
export type FlightParameters = { units: string; events: string; bodies: StoredBody[] };

export function flightParameters(units: readonly AppendUnit[]): FlightParameters {
  const bodies: StoredBody[] = [];
  const events = units.flatMap((unit, no) => eventRows(unit, no, bodies));
  return { units: JSON.stringify(units.map(unitRow)), events: `[${events.join(',')}]`, bodies };
}

function unitRow(unit: AppendUnit, no: number) {
  const { fence, usage } = unit;
  return {
    no,
    project_id: unit.projectId,
    stream_id: unit.streamId,
    expected: unit.expectedVersion ?? null,
    events: unit.events.length,
    entries: unit.events.filter((event) => isEntryType(event.type)).length,
    event_ids: unit.events.map((event) => event.eventId),
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

/** JSON texts, one an event, so that a body is made JSON once. */
function eventRows(unit: AppendUnit, no: number, bodies: StoredBody[]): string[] {
  let entries = 0;
  return unit.events.map((event, index) => {
    const json = toStoredJson(event.data) ?? '{}';
    const bytes = Buffer.byteLength(json);
    const isInline = bytes <= MAX_INLINE_BYTES;
    if (!isInline) bodies.push({ projectId: unit.projectId, hash: event.digest, json, bytes });
    if (isEntryType(event.type)) entries += 1;
    const row = {
      unit: no,
      n: index + 1,
      entry_n: isEntryType(event.type) ? entries : null,
      event_id: event.eventId,
      type: event.type,
      schema_version: event.schemaVersion,
      run_id: event.runId,
      step_id: event.stepId,
      item: event.item,
      round: event.round,
      payload_hash: isInline ? null : event.digest,
      digest: event.digest,
      chars: event.chars,
    };
    return `${JSON.stringify(row).slice(0, -1)},"data":${isInline ? json : 'null'}}`;
  });
}
