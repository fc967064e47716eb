import type { BuiltMessage } from './build-result.js';
import { canonicalMessage } from './canonical-message.js';

/** A message of requests with its canonical form: long texts are written down once, not once for each build that sends them. */
export class SentMessage {
  private text: string | null = null;

  constructor(readonly built: BuiltMessage) {}

  get canonical(): string {
    this.text ??= canonicalMessage(this.built.message);
    return this.text;
  }
}
