/** Bounds on documents. They keep checks, prompts and job counts finite; none is meant to be felt. */
export const PIPELINE_LIMITS = {
  /** Code units of all keys and strings. */
  documentChars: 1_000_000,
  documentValues: 50_000,
  documentDepth: 40,
  inputs: 100,
  agents: 100,
  tools: 200,
  /** How many its models' providers take is checked where the models are known. */
  toolsPerAgent: 200,
  /** Bodies included. */
  steps: 500,
  dependenciesPerStep: 100,
  /** Loops inside loops; never the same kind twice, since a step run has one item and one round. */
  bodyDepth: 2,
  /** Elements of one `for_each`: each is a step run of its own, made in one transaction. */
  itemsPerStep: 10_000,
  maxParallel: 1_000,
  maxIterations: 1_000,
  maxTurns: 10_000,
  maxToolCallsPerTurn: 10_000,
  maxAttempts: 100,
  tags: 32,
  tagChars: 64,
  /** Faults of one answer. */
  faults: 200,
  /** Inputs of a run as JSON, in code units. */
  inputChars: 1_000_000,
  inputDepth: 100,
} as const;

/** Where a document says nothing. */
export const DEFAULT_RUN_TIMEOUT_MS = 24 * 3_600_000;
export const DEFAULT_STEP_TIMEOUT_MS = 10 * 60_000;
export const DEFAULT_MAX_TURNS = 100;
export const DEFAULT_MAX_PARALLEL = 10;
