import { spawn, type ChildProcess } from 'node:child_process';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { McpServerSettings } from '#libs/platform';

const STDERR_CHARS = 500;
const END_MS = 1500;

/**
 * A server of the operator's settings, spoken to over its standard streams. Its environment is what the settings say and
 * nothing else: the SDK's own transport passes on HOME, PATH and others of this process.
 */
export class OperatorProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private child: ChildProcess | null = null;
  private readonly buffer = new ReadBuffer();
  private said = '';

  constructor(private readonly server: McpServerSettings) {}

  /** The end of what the server wrote to its standard error: why it did not start. */
  get lastWords(): string {
    return this.said.trim();
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.server;
    const child = spawn(command, args, { env, cwd: cwd ?? undefined, stdio: ['pipe', 'pipe', 'pipe'] });
    this.child = child;
    child.on('close', () => {
      this.child = null;
      this.onclose?.();
    });
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stdout.on('data', (chunk: Buffer) => this.receive(chunk));
    child.stderr.on('data', (chunk: Buffer) => (this.said = (this.said + chunk.toString()).slice(-STDERR_CHARS)));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.on('error', (error) => {
        reject(error);
        this.onerror?.(error);
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin;
    if (stdin === undefined || stdin === null) throw new Error('the server has ended');
    if (!stdin.write(serializeMessage(message))) await new Promise((resolve) => stdin.once('drain', resolve));
  }

  /** Closes its input, which asks it to end; what does not end is killed. */
  async close(): Promise<void> {
    const { child } = this;
    if (child === null) return;
    const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
    child.stdin?.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await ended;
    clearTimeout(timer);
  }

  private receive(chunk: Buffer): void {
    this.buffer.append(chunk);
    for (;;) {
      try {
        const message = this.buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is no message: servers print such things.
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }
}
