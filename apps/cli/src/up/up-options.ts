export type UpOptions = {
  /** End after the demonstration; exit code 0 only when all of it succeeded. */
  readonly once: boolean;
  readonly demo: boolean;
  /** Null: the usual port when it is free, else any. */
  readonly port: number | null;
  /** Absolute. */
  readonly dataDir: string;
  readonly workers: number;
  readonly compactors: number;
  /** Use nothing that the machine offers: embedded Postgres, and the queue on it. */
  readonly embedded: boolean;
};
