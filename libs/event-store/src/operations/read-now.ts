import type { Session } from '../session.js';

/** The database's clock in whole ms since 1970: of a transaction its beginning, as in `now() + …` of all that it writes. */
export async function readNow(session: Session): Promise<number> {
  const [row] = await session<{ at: number }[]>`select floor(extract(epoch from now()) * 1000)::float8 as at`;
  if (row === undefined) throw new Error('a select without a table has one row');
  return row.at;
}
