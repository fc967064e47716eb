import type { ReportFault } from './queue-backend.js';

/** Listeners of one kind of wake-up. One that throws is reported; it neither stops the others nor the process. */
export class Listeners<T> {
  private readonly listeners: ((value: T) => void)[] = [];

  constructor(
    private readonly kind: string,
    private readonly reportFault: ReportFault,
  ) {}

  add(listener: (value: T) => void): void {
    this.listeners.push(listener);
  }

  emit(value: T): void {
    for (const listener of this.listeners) {
      try {
        listener(value);
      } catch (error) {
        this.reportFault(`a listener for ${this.kind} threw`, error);
      }
    }
  }
}
