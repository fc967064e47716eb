import type { ApiFormat } from '#libs/context';
import type { RecordedCalls } from '#libs/engine';
import type { ResolveHost } from '#libs/outbound';
import type { ConnectionSettings } from '#libs/platform';
import type { Scripts } from '../scripts/scripts.js';
import { builtinExtractive } from './builtin-extractive.js';
import type { Provider } from './provider.js';
import { replay } from './replay.js';
import { scripted } from './scripted.js';

/** Connections that exist without the operator's doing. A new one: its file and a line in both places. */
const BUILTIN_CONNECTIONS = ['builtin', 'scripted', 'replay'] as const;
type BuiltinConnection = (typeof BUILTIN_CONNECTIONS)[number];

export const isBuiltinConnection = (name: string): name is BuiltinConnection =>
  BUILTIN_CONNECTIONS.some((known) => known === name);

export type BuiltinSources = { scripts: Scripts; recorded: RecordedCalls };

export function builtinConnections({ scripts, recorded }: BuiltinSources): { [name in BuiltinConnection]: Provider } {
  return { builtin: builtinExtractive(), scripted: scripted(scripts), replay: replay(recorded) };
}

/** The forms that each provider's adapter speaks: `strict_chat` is for servers and models with templates of their own. */
const FORMATS: { [provider in ConnectionSettings['provider']]: readonly ApiFormat[] } = {
  openai: ['openai_chat', 'openai_responses', 'strict_chat'],
  anthropic: ['anthropic', 'anthropic_thinking'],
  google: ['gemini', 'strict_chat'],
  bedrock: ['bedrock', 'strict_chat'],
};

/** The provider of an operator's connection. A new one: its file and a line, and its forms. */
export function connectionProvider(settings: ConnectionSettings, resolve?: ResolveHost): Provider {
  const { provider } = settings;
  const formats = FORMATS[provider];
  switch (provider) {
    case 'openai':
      return loadedLate(formats, async () => (await import('./openai.js')).openAi(settings, resolve));
    case 'anthropic':
      return loadedLate(formats, async () => (await import('./anthropic.js')).anthropic(settings, resolve));
    case 'google':
    case 'bedrock':
      return loadedLate(formats, async () => (await import('./universal.js')).universal(settings, provider, resolve));
  }
}

/** LangChain takes most of a second and 60 MB to load: only processes that call such a model pay for it. */
function loadedLate(formats: readonly ApiFormat[], load: () => Promise<Provider>): Provider {
  let provider: Promise<Provider> | null = null;
  return {
    formats,
    check: () => null,
    async call(call, target) {
      provider ??= load();
      return (await provider).call(call, target);
    },
  };
}
