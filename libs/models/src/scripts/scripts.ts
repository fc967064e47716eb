import { appendFileSync } from 'node:fs';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#libs/domain';
import type { ModelCall } from '#libs/engine';
import { parseReply, parseScript, replyAt, type ParsedReply, type ParsedScript, type Script } from './script.js';

const SCRIPT_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/;
const FILE_POLL_MS = 10;

/**
 * Scripts of `scripted:<name>` models: set in-process, or `<directory>/<name>.json` (worker processes of a test).
 * Without a directory no file is ever read, so documents of authors cannot reach the disk.
 */
export class Scripts {
  private readonly registered = new Map<string, Script>();
  private readonly received = new Map<string, ModelCall[]>();

  constructor(private readonly directory: string | null = null) {}

  /** Checks data at once, so that a typing error fails the test that made it. @throws ZodError */
  set(name: string, script: Script): void {
    if (typeof script !== 'function') parseScript(asDocument(script));
    this.registered.set(name, script);
  }

  /** Calls that this process received for the model, in order. Worker processes, which have a directory, keep none: see `log_file`. */
  calls(name: string): readonly ModelCall[] {
    return this.received.get(name) ?? [];
  }

  check(name: string): string | null {
    if (!SCRIPT_NAME.test(name)) return `${JSON.stringify(name)} is not a script's name`;
    if (this.registered.has(name) || this.directory !== null) return null;
    return `no script ${name} is registered; scripted models are for tests`;
  }

  /** Null: the script has no reply at this position. @throws AppError `script_unreadable` when there is no such script. */
  async reply(name: string, call: ModelCall): Promise<ParsedReply | null> {
    if (this.directory === null) this.keep(name, call);
    const script = this.registered.get(name) ?? (await this.readScript(name));
    if (typeof script === 'function') return parseReply(await script(call));
    const document = parseScript(asDocument(script));
    this.log(document, call);
    return replyAt(document, call.position);
  }

  private keep(name: string, call: ModelCall): void {
    const known = this.received.get(name);
    if (known === undefined) this.received.set(name, [call]);
    else known.push(call);
  }

  async touch(file: string): Promise<void> {
    await writeFile(this.path(file), String(process.pid));
  }

  /** @throws AbortError when the signal aborts first. */
  async fileExists(file: string, signal: AbortSignal): Promise<void> {
    const path = this.path(file);
    while (!(await exists(path))) await sleep(FILE_POLL_MS, undefined, { signal });
  }

  private log(script: ParsedScript, call: ModelCall): void {
    if (script.log_file === undefined) return;
    const { runId, stepId, item, callNo, try: tryNo, streamId } = call.position;
    const line = {
      at: Date.now(),
      pid: process.pid,
      model: call.model,
      stream_id: streamId,
      run_id: runId,
      step_id: stepId,
      item,
      call: callNo,
      try: tryNo,
      messages: call.request.messages.length,
    };
    // Synchronous and one write: a process that is killed right after has either asked and logged or done neither.
    appendFileSync(this.path(script.log_file), `${JSON.stringify(line)}\n`);
  }

  private async readScript(name: string): Promise<ParsedScript> {
    const path = this.path(`${name}.json`);
    try {
      return parseScript(JSON.parse(await readFile(path, 'utf8')));
    } catch (cause) {
      throw new AppError(
        'script_unreadable',
        `the script ${name} cannot be read: expected a script at ${path}`,
        { script: name },
        { cause },
      );
    }
  }

  private path(file: string): string {
    if (this.directory === null)
      throw new AppError('script_unreadable', 'files of scripts need a scripts folder', { file });
    if (!SCRIPT_NAME.test(file))
      throw new AppError('script_unreadable', `${file} must be a plain name in the scripts folder`, { file });
    return join(this.directory, file);
  }
}

const asDocument = (script: Exclude<Script, (...args: never[]) => unknown>): unknown =>
  Array.isArray(script) ? { replies: script } : script;

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
