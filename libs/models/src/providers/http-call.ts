import type { ModelCall, ModelOutcome } from '#libs/engine';
import { Outbound, type ResolveHost } from '#libs/outbound';
import type { ConnectionSettings } from '#libs/platform';
import { concludeAnswer } from '../answer/conclude-answer.js';
import { ReceivedAnswer } from '../answer/received-answer.js';
import { classifyThrown } from '../failures/classify-thrown.js';
import { CallDeadline } from '../outcome/call-deadline.js';
import { costUsd } from '../outcome/cost.js';
import { modelFailure } from '../outcome/model-failure.js';
import { WireTap } from '../wire/wire-tap.js';
import type { ModelTarget } from './provider.js';

type Received = NonNullable<Parameters<typeof modelFailure>[2]>;

/** What a provider's own part gets: it sends the request through `fetch` and fills `answer`. */
export type Conversation = { fetch: WireTap['fetch']; signal: AbortSignal; answer: ReceivedAnswer };

/**
 * One call over HTTP, the same for every provider: deadline, guard, hash, classification. The client's own retries must be
 * 0 and its own timeouts out of reach. A client that returns early when its signal aborts is found out here.
 */
export class HttpCalls {
  private readonly outbound: Outbound;
  private readonly keys: readonly string[];

  constructor(
    private readonly connection: ConnectionSettings,
    resolve?: ResolveHost,
  ) {
    this.outbound = new Outbound({ allowsPrivate: () => connection.allowPrivateAddresses, resolve });
    this.keys = [connection.apiKey, ...Object.values(connection.headers)].filter((key) => key !== null);
  }

  async run(
    call: ModelCall,
    target: ModelTarget,
    converse: (conversation: Conversation) => Promise<void>,
  ): Promise<ModelOutcome> {
    const provider = this.connection.name;
    if (this.connection.apiKey === null && this.connection.baseUrl === null) {
      return modelFailure('authentication', `${provider}: there is no key; set ${this.connection.apiKeySource}.`);
    }
    const deadline = new CallDeadline(call);
    const answer = new ReceivedAnswer();
    const tap = new WireTap({ outbound: this.outbound, deadline, headers: this.headers() });
    try {
      await converse({ fetch: tap.fetch, signal: deadline.signal, answer });
      return (
        deadline.failure(received(answer, target)) ??
        concludeAnswer(answer, { provider, facts: target.facts, wireHash: tap.wireHash })
      );
    } catch (error) {
      const failure =
        deadline.failure(received(answer, target)) ??
        classifyThrown(error, tap, { provider, keys: this.keys }, received(answer, target));
      if (failure === null) throw error;
      return failure;
    } finally {
      deadline.dispose();
    }
  }

  /** A server without a key gets none, though clients insist on sending one. */
  private headers(): Record<string, string | null> {
    return {
      ...(this.connection.apiKey === null ? { authorization: null, 'x-api-key': null } : {}),
      ...this.connection.headers,
    };
  }
}

function received(answer: ReceivedAnswer, target: ModelTarget): Received {
  return {
    usage: answer.usage,
    costUsd: costUsd(answer.usage, target.facts),
    partial: answer.isEmpty ? null : answer.message,
  };
}
