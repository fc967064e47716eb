import { reasoningItemPart } from '../shape/reasoning-forms.js';
import type { NeutralMessage, NeutralRequest } from '../neutral.js';

/** Parts of requests for specs of the linter. */
export type Assistant = Extract<NeutralMessage, { role: 'assistant' }>;
export const user = (text = 'q'): NeutralMessage => ({ role: 'user', content: [{ type: 'text', text }] });
export const answer = (changes: Partial<Assistant> = {}): NeutralMessage => ({
  role: 'assistant',
  content: [{ type: 'text', text: 'a' }],
  tool_calls: [],
  ...changes,
});
export const call = (id = 'call_2_0', name = 'search', given = '{}') => ({ id, name, arguments: given });
export const result = (id = 'call_2_0', text = 'r'): NeutralMessage => ({
  role: 'tool',
  tool_call_id: id,
  name: 'search',
  status: 'ok',
  content: [{ type: 'text', text }],
});
export const turn = (...calls: ReturnType<typeof call>[]): NeutralMessage[] => [
  user(),
  answer({ tool_calls: calls }),
  ...calls.map((one) => result(one.id)),
];
export const request = (messages: NeutralMessage[], rest: Partial<NeutralRequest> = {}): NeutralRequest => ({
  system: null,
  tools: [],
  messages,
  ...rest,
});
export const tool = (name: string) => ({ name, description: '', parameters: {} });
export const thinking = { type: 'thinking', text: 'hm', signature: 's' } as const;
export const image = { type: 'image', media_type: 'image/png', data: 'AAAA' } as const;
export const pdf = { type: 'document', media_type: 'application/pdf', data: 'AAAA' } as const;
export const words = { type: 'text', text: 'see' } as const;
export const item = (calls_before = 0, secret: string | null = 's') =>
  reasoningItemPart({ item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: secret }, calls_before });
export const model = { id: 'm', images: true, documents: true };
