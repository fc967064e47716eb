import { z } from 'zod';
import type { Json } from '../../json.js';
import { expectedDuration, parseDurationMs } from '../duration.js';
import { describeValue } from '../fault-writer.js';
import { isJsonObject } from '../json-object.js';
import { parsePipelineReference, PIPELINE_NAME_WORDS } from '../names.js';
import { DEFAULT_MAX_PARALLEL } from '../pipeline-limits.js';
import type { PartSource, Sleep, StepBody, StepKind, StepTask, StepWork, TaskPart } from '../pipeline-step.js';
import { Fields } from './fields.js';
import { readSchema } from './read-agent.js';
import type { BodyReader, StepNode } from './reading.js';

/** The part of a step that its kind decides; null when it is not whole, the faults say why. */
export function readWork(kind: StepKind, fields: Fields, node: StepNode, readSteps: BodyReader): StepWork | null {
  switch (kind) {
    case 'agent':
      return readAgentWork(fields);
    case 'tool':
      return readToolWork(fields);
    case 'transform':
      return { kind, transform: fields.template('transform') };
    case 'for_each':
      return readForEach(fields, node, readSteps);
    case 'repeat':
      return readRepeat(fields, node, readSteps);
    case 'pipeline':
      return readChildPipeline(fields);
    case 'approval':
      return readApproval(fields);
    case 'wait_for':
      return readWaitFor(fields);
    case 'sleep':
      return readSleepWork(fields);
  }
}

function readAgentWork(fields: Fields): StepWork | null {
  const agent = fields.text('agent');
  const task = readTask(fields);
  return agent === null || task === null ? null : { kind: 'agent', agent, task };
}

function readTask(fields: Fields): StepTask | null {
  const task = fields.template('task');
  if (typeof task === 'string') return task;
  if (!Array.isArray(task)) return null;
  return task.flatMap((element, index) => {
    const part = isJsonObject(element)
      ? readPart(new Fields(element, [...fields.at('task'), index], fields.reading, { at: 'output' }))
      : null;
    return part === null ? [] : [part];
  });
}

function readPart(fields: Fields): TaskPart | null {
  const type = fields.text('type');
  const text = fields.text('text');
  if (type === 'text') return text === null ? null : { type, text };
  if (type !== 'image' && type !== 'document') return null;
  const source = readPartSource(fields);
  if (source === null) return null;
  const mediaType = fields.text('media_type');
  return type === 'image' ? { type, mediaType, source } : { type, name: fields.text('name'), mediaType, source };
}

function readPartSource(fields: Fields): PartSource | null {
  const data = fields.text('data');
  const url = fields.text('url');
  if (data !== null && url === null) return { from: 'data', data };
  if (url !== null && data === null) return { from: 'url', url };
  const found = data === null ? 'neither data nor url' : 'data and url';
  fields.reading.fault(fields.path, { code: 'conflicting_keys', found, expected: 'one of data (base64) and url' });
  return null;
}

function readToolWork(fields: Fields): StepWork | null {
  const tool = fields.text('tool');
  const args = fields.template('args') ?? {};
  return tool === null ? null : { kind: 'tool', tool, args };
}

function readForEach(fields: Fields, node: StepNode, readSteps: BodyReader): StepWork | null {
  const items = fields.template('for_each', 'list');
  if (!Array.isArray(items) && typeof items !== 'string') {
    fields.reading.fault(fields.at('for_each'), {
      code: 'wrong_type',
      found: describeValue(items),
      expected: 'a list or ${…}',
    });
  }
  const body = readBody(fields, node, readSteps);
  if (body === null) return null;
  return {
    kind: 'for_each',
    items,
    body,
    maxParallel: fields.number('max_parallel') ?? DEFAULT_MAX_PARALLEL,
    onItemFailure: fields.choice('on_item_failure', ['fail', 'continue', 'collect'], 'fail'),
  };
}

function readRepeat(fields: Fields, node: StepNode, readSteps: BodyReader): StepWork | null {
  const body = readBody(fields, node, readSteps);
  const maxIterations = fields.number('max_iterations');
  const until = fields.in({ at: 'body', node }).expression('until');
  if (body === null || maxIterations === null || until === null) return null;
  return { kind: 'repeat', body, until, maxIterations };
}

function readBody(fields: Fields, node: StepNode, readSteps: BodyReader): StepBody | null {
  const body = fields.child('do', { at: 'body', node });
  if (body === null) return null;
  const { nodes, steps } = readSteps(body.raw('steps'), body.at('steps'), node, fields.reading);
  node.body.push(...nodes);
  return { steps, output: body.template('output') };
}

function readChildPipeline(fields: Fields): StepWork | null {
  const text = fields.text('pipeline');
  const inputs = fields.template('inputs') ?? {};
  const streamId = fields.templateText('stream_id');
  if (text === null) return null;
  const reference = parsePipelineReference(text);
  if (reference === null) {
    fields.reading.fault(fields.at('pipeline'), {
      code: 'bad_name',
      found: describeValue(text),
      expected: `name or name@version; a name is ${PIPELINE_NAME_WORDS}`,
    });
    return null;
  }
  return { kind: 'pipeline', pipeline: reference.name, version: reference.version, inputs, streamId };
}

function readApproval(fields: Fields): StepWork | null {
  const approval = fields.child('approval');
  const prompt = approval?.templateText('prompt') ?? null;
  if (approval === null || prompt === null) return null;
  return {
    kind: 'approval',
    prompt,
    form: readSchema(approval, 'form'),
    approvalTimeoutMs: approval.durationMs('timeout', 1),
    onTimeout: approval.choice('on_timeout', ['deny', 'approve', 'fail'], 'deny'),
  };
}

function readWaitFor(fields: Fields): StepWork | null {
  const wait = fields.child('wait_for');
  const signal = wait?.text('signal') ?? null;
  const key = wait?.templateText('key') ?? null;
  if (wait === null || signal === null || key === null) return null;
  return { kind: 'wait_for', signal, key, waitTimeoutMs: wait.durationMs('timeout', 1) };
}

function readSleepWork(fields: Fields): StepWork | null {
  const text = fields.templateText('sleep');
  const sleep = text === null ? null : parseSleep(text);
  if (sleep !== null) return { kind: 'sleep', sleep };
  if (text !== null) {
    const expected = `${expectedDuration(text)}, or a time such as "2027-01-31T09:00:00Z", or \${…}`;
    fields.reading.fault(fields.at('sleep'), { code: 'invalid_value', found: describeValue(text), expected });
  }
  return null;
}

/** Of a literal or a rendered value: a duration or an RFC 3339 time with an offset; null when it is neither. */
export function parseSleep(text: Json): Sleep | null {
  if (typeof text !== 'string') return null;
  if (text.includes('${')) return { type: 'template', template: text };
  const durationMs = parseDurationMs(text);
  if (durationMs !== null) return { type: 'duration', durationMs };
  return rfc3339.safeParse(text).success ? { type: 'until', at: text } : null;
}

/** `Date.parse` would take 30 February for 2 March. */
const rfc3339 = z.iso.datetime({ offset: true });
