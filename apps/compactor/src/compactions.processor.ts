import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, type Type } from '@nestjs/common';
import { runCompactionJob, type EngineDeps } from '#libs/engine';
import type { Tracing } from '#libs/platform';
import { inJobScope } from '../../runtime/src/index.js';
import { COMPACTIONS_QUEUE, decodeCompactionJob, type workerOptions } from '#libs/queue';

export const ENGINE = Symbol('EngineDeps');
export const TRACING = Symbol('Tracing');

/** Adapts a job of BullMQ to the engine's use case, and nothing else. The three parameters must stay declared. */
export class CompactionsProcessor extends WorkerHost {
  constructor(
    @Inject(ENGINE) private readonly engine: EngineDeps,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {
    super();
  }

  process(job: { data: unknown }, _token?: string, signal?: AbortSignal): Promise<void> {
    return inJobScope(this.tracing, () => runCompactionJob(this.engine, decodeCompactionJob(job.data), signal));
  }
}

/** The class with its decorator, whose options are settings: known when the process starts, not when this file loads. */
export function compactionsProcessor(options: ReturnType<typeof workerOptions>): Type<CompactionsProcessor> {
  Processor(COMPACTIONS_QUEUE, options)(CompactionsProcessor);
  return CompactionsProcessor;
}
