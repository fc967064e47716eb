import { existsSync, readFileSync } from 'node:fs';

/** Rows of a Markdown table whose first cell fits, as their cells. */
export const tableRows = (file: string, first: RegExp): string[][] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, ...cells]) => cells)
    .filter(([cell = '']) => first.test(cell));

/** The tests of a cell: `file` › name, one a line. */
export const testsIn = (cell: string): string[] => (cell === '' ? [] : cell.split('<br>'));

/** That a test which a document names is there. Names that hold a number of cases are quoted up to it. */
export function expectNamedTest(test: string): void {
  const [, file = '', name = ''] = /^`([^`]+)` › (.+)$/.exec(test) ?? [];
  expect({ test, isFile: existsSync(file) }).toEqual({ test, isFile: true });
  expect({ test, isIn: readFileSync(file, 'utf8').includes(name) }).toEqual({ test, isIn: true });
}
