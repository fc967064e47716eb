import { canonicalJson } from '#libs/domain';
import type { BuiltMessage } from './build-result.js';

/** A message of requests with its canonical form: long texts are written down once, not once for each build that sends them. */
export class SentMessage {
  private text: string | null = null;

  constructor(readonly built: BuiltMessage) {}

  get canonical(): string {
    this.text ??= canonicalJson(this.built.message);
    return this.text;
  }
}
