/** Steps whose jobs this process has pushed while the write that makes them runnable is under way (ADR 0041). */
export class ComingSteps {
  private readonly writes = new Map<string, Promise<unknown>>();

  /** `write`: settles when they are stored, or will not be. */
  expect(stepRunIds: readonly string[], write: Promise<unknown>): void {
    for (const id of stepRunIds) this.writes.set(id, write);
    const forget = (): void => {
      for (const id of stepRunIds) if (this.writes.get(id) === write) this.writes.delete(id);
    };
    write.then(forget, forget);
  }

  /** Resolves when no write of this process is under way that makes the step runnable; true: one was. */
  async arrived(stepRunId: string): Promise<boolean> {
    const write = this.writes.get(stepRunId);
    if (write === undefined) return false;
    await write.catch(() => undefined);
    return true;
  }
}
