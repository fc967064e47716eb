import { z } from 'zod';
import { transcriptSchema } from '#libs/context';
import { pageQuery } from '../http/list-page.js';
import { anyJson, count, time } from '../http/scalars.js';

/** Names stand in model names (`replay:<recording>`) and paths. */
export const recordingName = z
  .string()
  .regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/, 'expected 1 to 100 of A-Z a-z 0-9 . _ -');

/** Checked and stored as it came: the schema reads OpenAI's form too and would fill in what is absent. */
export const recordingBody = z
  .custom<z.input<typeof anyJson>>()
  .superRefine((body, context) => {
    const parsed = transcriptSchema.safeParse(body);
    if (parsed.success) {
      const message = 'expected at least one message: nothing could be played';
      const path = Array.isArray(body) ? [] : ['messages'];
      if (parsed.data.messages.length === 0) context.addIssue({ code: 'custom', path, message });
      return;
    }
    for (const issue of parsed.error.issues)
      context.addIssue({ code: 'custom', path: issue.path, message: issue.message });
  })
  .meta({
    id: 'Transcript',
    description: 'A recorded session: `{source?, messages[], events?[]}`; unknown keys are kept.',
  });

export const recording = z
  .object({ name: z.string(), hash: z.string(), bytes: count, created_at: time })
  .meta({ id: 'Recording' });
export type Recording = z.output<typeof recording>;

export const recordingWithTranscript = recording
  .extend({ transcript: anyJson })
  .meta({ id: 'RecordingWithTranscript' });
export type RecordingWithTranscript = z.output<typeof recordingWithTranscript>;

export const recordingListQuery = z.strictObject(pageQuery);
