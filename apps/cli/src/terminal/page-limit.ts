import { InvalidArgumentError } from 'commander';

/** For `--limit` of lists: what the API takes for a page, 1 to 200. */
export function pageLimit(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 200) return value;
  throw new InvalidArgumentError('Expected a number, 1 to 200.');
}
