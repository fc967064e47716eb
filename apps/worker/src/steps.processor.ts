import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, type Type } from '@nestjs/common';
import { handleStepJob, type EngineDeps } from '#libs/engine';
import { decodeStepJob, STEPS_QUEUE, type workerOptions } from '#libs/queue';

export const ENGINE = Symbol('EngineDeps');

/** Adapts a job of BullMQ to the engine's use case, and nothing else. The three parameters must stay declared. */
export class StepsProcessor extends WorkerHost {
  constructor(@Inject(ENGINE) private readonly engine: EngineDeps) {
    super();
  }

  async process(job: { data: unknown }, _token?: string, signal?: AbortSignal): Promise<void> {
    await handleStepJob(this.engine, decodeStepJob(job.data), signal);
  }
}

/** The class with its decorator, whose options are settings: known when the process starts, not when this file loads. */
export function stepsProcessor(options: ReturnType<typeof workerOptions>): Type<StepsProcessor> {
  Processor(STEPS_QUEUE, options)(StepsProcessor);
  return StepsProcessor;
}
