import type postgres from 'postgres';
import type { Session } from '../session.js';

type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** The SET list of an UPDATE: a column may be assigned again, the last one holds. */
export class Assignments {
  private readonly byColumn = new Map<string, Fragment>();

  constructor(private readonly session: Session) {}

  /** Does nothing when `value` is undefined: the patch does not name the column. */
  set(column: string, value: string | number | boolean | null | undefined): void {
    if (value !== undefined) this.byColumn.set(column, this.session`${this.session(column)} = ${value}`);
  }

  /** jsonb from text that `toStoredJson` made. */
  setJson(column: string, json: string | null): void {
    this.byColumn.set(column, this.session`${this.session(column)} = (${json}::text)::jsonb`);
  }

  setTo(column: string, expression: Fragment): void {
    this.byColumn.set(column, this.session`${this.session(column)} = ${expression}`);
  }

  get isEmpty(): boolean {
    return this.byColumn.size === 0;
  }

  /** For `set ${assignments.list()}`. */
  list(): Fragment[] {
    return [...this.byColumn.values()].flatMap((fragment, index) =>
      index === 0 ? [fragment] : [this.session`,`, fragment],
    );
  }
}
