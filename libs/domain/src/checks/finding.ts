/** What one check of Weir's surroundings found. Checks of the start, `weir doctor` and readiness all speak in these. */
export type Finding = {
  /** Stable, in snake_case. */
  readonly id: string;
  /** `warn`: Weir works, and something will hurt. `fail`: it does not work, or loses what it promises. */
  readonly status: 'ok' | 'warn' | 'fail';
  /** Sentences for operators, without secrets. */
  readonly found: string;
  readonly expected: string;
  /** What to do; null when all is well. */
  readonly advice: string | null;
  /** Processes take no work while this one fails. */
  readonly isNeeded: boolean;
  /** Waiting does not help: a process that finds this at its start ends. */
  readonly isFinal?: true;
};

type Judgement = Omit<Finding, 'status' | 'advice'>;

export const fine = (judgement: Judgement): Finding => ({ ...judgement, status: 'ok', advice: null });
export const warning = (judgement: Judgement, advice: string): Finding => ({ ...judgement, status: 'warn', advice });
export const failing = (judgement: Judgement, advice: string): Finding => ({ ...judgement, status: 'fail', advice });

/** One sentence: what is wrong, what was expected, what to do. */
export function sentenceOf({ found, expected, advice }: Finding): string {
  return advice === null ? found : `${found}; expected ${expected}: ${advice}`;
}

/** The first one that keeps processes from taking work. */
export function firstObstacle(findings: readonly Finding[]): Finding | null {
  return findings.find(({ status, isNeeded }) => status === 'fail' && isNeeded) ?? null;
}
