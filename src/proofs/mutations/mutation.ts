/**
 * Mutations of one line, by the test file that must fail and by a name that says what was taken out. A guarantee
 * without such a test is not kept: add a mutation with every line that guards something.
 */
export type MutationsByTest = Readonly<
  Record<
    string,
    Readonly<
      Record<
        string,
        {
          readonly file: string;
          /** Code that occurs exactly once in the file, and what replaces it. */
          readonly change: readonly [from: string, to: string];
          /** Part of the names of the tests that must fail. */
          readonly failing: string;
        }
      >
    >
  >
>;

export interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly test: string;
  readonly testName: string;
}
