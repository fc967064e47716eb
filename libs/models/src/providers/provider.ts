import type { ApiFormat, ModelFacts } from '#libs/context';
import type { CallPosition, ModelAt, ModelCall, ModelOutcome } from '#libs/engine';

/** `name` is the model's part of `connection:model`; `takesSchema`: its API can hold it to a JSON Schema. */
export type ModelTarget = { name: string; facts: ModelFacts; takesSchema: boolean };

/** As `ModelAt`, by name. */
export type NamedAt = { kind: 'call'; model: string | null } | Exclude<ModelAt, { kind: 'call' }>;

/** Another model (`connection:model`), another form; null: its own. */
export type Likeness = { model: string | null; apiFormat: ApiFormat | null };

/** What speaks to one kind of model. One instance per connection. */
export type Provider = {
  /** What is wrong with the model's name, as far as that is known without a call; null: nothing. */
  check(name: string): string | null;
  /** Forms of requests that it speaks; without it every one. */
  formats?: readonly ApiFormat[];
  /** For models that are measured as if they were others. */
  likeness?(name: string): Likeness | null;
  /** For models that differ from call to call: which one this call has (null: its own), or why there is no such call. */
  at?(name: string, position: CallPosition): Promise<NamedAt>;
  /** Faults of the provider are outcomes; only a bug rejects. */
  call(call: ModelCall, target: ModelTarget): Promise<ModelOutcome>;
};
