import { AppError } from '#libs/domain';

/**
 * BullMQ gives the AbortSignal only to processors whose function declares three parameters; a default value, a rest
 * parameter or a wrapper silently loses it, and cancelling a job then does nothing. Called at boot.
 * @throws AppError `processor_without_signal`
 */
export function assertTakesSignal(processor: { process: { readonly length: number } }): void {
  const declared = processor.process.length;
  if (declared === 3) return;
  throw new AppError(
    'processor_without_signal',
    `${processor.constructor.name}.process declares ${declared} parameters: expected exactly (job, token, signal), without defaults or "...", because BullMQ passes its AbortSignal by the number of declared parameters.`,
    { declared },
  );
}
