/** Whether `npm run test:all` runs; `npm test` takes a part of the largest matrices and of the longest chains of kills. */
export const ALL = process.env['RAPPORT_TESTS'] === 'all';

/**
 * Return the values that one row of a matrix is tried with: all of them, or every `parts`-th, beginning with another one
 * in the next row, so that `npm test` tries each value somewhere.
 */
export const partOf = <T>(values: readonly T[], row: number, parts: number): readonly T[] =>
  ALL ? values : values.filter((_value, index) => (index + row) % parts === 0);
