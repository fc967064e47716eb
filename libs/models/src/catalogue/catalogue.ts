import { API_FORMATS } from '#libs/context';
import { AppError } from '#libs/domain';
import { parse } from 'yaml';
import { z } from 'zod';

const tokens = z.int().positive();
/** US dollars per million tokens. */
const price = z.number().nonnegative();

const modelEntry = z.strictObject({
  window_tokens: tokens.optional(),
  max_output_tokens: tokens.optional(),
  prices_per_million: z
    .strictObject({ input: price, cached_input: price.optional(), cache_write: price.optional(), output: price })
    .optional(),
  prompt_caching: z.boolean().optional(),
  images: z.boolean().optional(),
  documents: z.boolean().optional(),
  api_format: z.enum(API_FORMATS).optional(),
  token_ratio: z.number().min(0.5).max(3).optional(),
  /** Anthropic only: the model takes `output_config.format`. OpenAI's API takes `response_format` for all. */
  structured_output: z.boolean().optional(),
});

const providerEntry = z.strictObject({
  /** What holds for a model of this provider that says nothing else, also for one that is not listed. */
  defaults: modelEntry.extend({
    api_format: z.enum(API_FORMATS),
    prompt_caching: z.boolean(),
    cache_read_ratio: z.number().min(0).max(10),
    cache_write_ratio: z.number().min(0).max(10),
  }),
  models: z.record(z.string(), modelEntry).default({}),
});

const catalogueSchema = z.record(z.string(), providerEntry);

export type CatalogueEntry = z.infer<typeof modelEntry>;
export type Catalogue = z.infer<typeof catalogueSchema>;
export type ProviderEntry = Catalogue[string];

/** `models.yml` → catalogue. @throws AppError `catalogue_invalid` with the path of the first fault. */
export function parseCatalogue(text: string): Catalogue {
  const parsed = catalogueSchema.safeParse(parse(text));
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  throw new AppError(
    'catalogue_invalid',
    `models.yml does not fit at ${first?.path.join('.') ?? '(root)'}: ${first?.message ?? 'unknown'}`,
  );
}

/** A dated or `-latest` name stands for its family: `gpt-4.1-2025-04-14`, `claude-sonnet-4-5-20250929`. */
const VERSION_SUFFIX = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/** The entry of a model, by its exact name first, then by its family's; empty when it is not listed. */
export function entryOf(provider: ProviderEntry, model: string): CatalogueEntry {
  const exact = Object.hasOwn(provider.models, model) ? provider.models[model] : undefined;
  const family = model.replace(VERSION_SUFFIX, '');
  return exact ?? (Object.hasOwn(provider.models, family) ? provider.models[family] : undefined) ?? {};
}
