import { z } from 'zod';
import { STEP_ID_PATTERN } from '../../ids.js';
import { DURATION_PATTERN, expectedDuration } from '../duration.js';

/** An object whose keys are all known; the message of an unknown one is the list of those that exist. */
export function closedObject<S extends z.core.$ZodLooseShape>(shape: S) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, { error: (issue) => (issue.code === 'unrecognized_keys' ? known : undefined) });
}

export const duration = z
  .string({ error: (issue) => expectedDuration(issue.input) })
  .regex(DURATION_PATTERN, { error: (issue) => expectedDuration(issue.input) })
  .describe('A duration: 500ms, 20s, 5m, 1h30m, 2d.');

const STEP_ID_WORDS = 'a lower-case letter, then at most 63 lower-case letters, digits or underscores';

export const stepId = z
  .string()
  .regex(STEP_ID_PATTERN, { error: STEP_ID_WORDS })
  .describe('Names the step in expressions: steps.<id>.output');

/** A string in which `${…}` is expanded. */
export const template = z.string().describe('Text; ${…} holds a CEL expression.');

/** Any JSON whose strings are templates. */
export const templateJson = z.unknown().describe('Any value; strings may hold ${…}.');

export const expression = z
  .union([z.string(), z.boolean()], { error: 'a CEL expression as text' })
  .describe('A CEL expression that gives true or false.');

export const jsonSchemaObject = z
  .record(z.string(), z.unknown(), { error: 'a JSON Schema as an object' })
  .describe('A JSON Schema.');

export const contextBlock = z
  .record(z.string(), z.unknown(), { error: 'a context policy as an object' })
  .describe('How the context is built: mode, preset, window, budget, blocks, compaction, memory.');

export const modelName = z.string().min(1).max(200).describe('connection:model, for instance openai:gpt-4.1-mini');

export const description = z.string().max(10_000);

export const countFrom = (minimum: number, maximum: number) => z.int().min(minimum).max(maximum);
