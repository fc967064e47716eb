import { faultAt, type FaultPath, type FaultWords } from '../fault-writer.js';
import type { Json, JsonObject } from '../../json.js';
import type { PipelineFault } from '../pipeline-fault.js';
import { PIPELINE_LIMITS } from '../pipeline-limits.js';
import type { PipelineStep, StepKind } from '../pipeline-step.js';

/** More than an answer shows, since some say the same. */
const MAX_WRITTEN_FAULTS = 2 * PIPELINE_LIMITS.faults;

/**
 * What reading a document collects besides the definition: faults, every expression with the place it stands in, and the
 * graph of its steps as far as it could be read. Readers go on after a fault, so that all are found at once.
 */
export class Reading {
  readonly faults: PipelineFault[] = [];
  readonly expressions: ExpressionUse[] = [];
  readonly models: ModelUse[] = [];
  readonly contexts: ContextUse[] = [];
  readonly schemas: SchemaUse[] = [];

  /** Faults that were counted only: writing one compares names, and a document can have tens of thousands. */
  omitted = 0;

  fault(path: FaultPath, words: FaultWords): void {
    if (this.faults.length >= MAX_WRITTEN_FAULTS) this.omitted += 1;
    else this.faults.push(faultAt(path, words));
  }

  /** A fault that others have written. */
  add(fault: PipelineFault): void {
    this.faults.push(fault);
  }
}

export type ExpressionUse = {
  readonly path: FaultPath;
  /** As written between `${` and `}`; positions of faults count in it. */
  readonly source: string;
  readonly place: Place;
  readonly expects: 'boolean' | 'list' | 'any';
};

export type ModelUse = { readonly path: FaultPath; readonly name: string };
export type ContextUse = {
  readonly path: FaultPath;
  readonly level: 'step' | 'agent' | 'pipeline';
  readonly value: JsonObject;
};
export type SchemaUse = { readonly path: FaultPath; readonly value: JsonObject };

/** Where an expression stands; it decides which names exist. */
export type Place =
  /** Sees the steps upstream of it. */
  | { readonly at: 'step'; readonly node: StepNode }
  /** The output of a body, or `until`: sees the body's steps too. */
  | { readonly at: 'body'; readonly node: StepNode }
  | { readonly at: 'output' }
  /** `properties`: the declared arguments, null when the document does not say. */
  | { readonly at: 'tool'; readonly properties: readonly string[] | null }
  | { readonly at: 'agent' }
  | { readonly at: 'concurrency' };

/** A step as far as it could be read: enough for the graph, also when its work is broken. */
export type StepNode = {
  readonly path: FaultPath;
  readonly id: string | null;
  readonly kind: StepKind | null;
  readonly agent: string | null;
  readonly tool: string | null;
  readonly dependsOn: readonly string[];
  readonly goto: string | null;
  readonly contextMode: string | null;
  readonly parent: StepNode | null;
  /** Filled while its body is read. */
  readonly body: StepNode[];
};

/** What a list of steps was read into: the graph always has all of them, the definition those that are whole. */
export type ReadSteps = { readonly nodes: StepNode[]; readonly steps: readonly PipelineStep[] };

/** Reads the steps of a body. */
export type BodyReader = (
  list: Json | undefined,
  path: FaultPath,
  parent: StepNode | null,
  reading: Reading,
) => ReadSteps;
