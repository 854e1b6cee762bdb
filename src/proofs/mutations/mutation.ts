/** What is changed: code that occurs exactly once in the file. */
type Change =
  | { readonly removed: string }
  /** An `if` or `while`, up to the end of its condition or beyond: the condition becomes false. */
  | { readonly disabled: string }
  | { readonly change: readonly [from: string, to: string] };

type Declaration = Change & {
  /** By default the module that the test stands beside. */
  readonly file?: string;
  /** Part of the names of the tests that must fail. */
  readonly failing: string;
};

/**
 * Mutations of one line, by the test file that must fail and by a name that says what is possible without the line. A
 * guarantee without such a test is not kept: add a mutation with every line that guards something.
 */
export type MutationsByTest = Readonly<Record<string, Readonly<Record<string, Declaration>>>>;

export interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly test: string;
  readonly failing: string;
}

function changeOf(declaration: Change): readonly [from: string, to: string] {
  if ('change' in declaration) return declaration.change;
  if ('removed' in declaration) return [declaration.removed, ''];
  return [declaration.disabled, declaration.disabled.replace(/\(.*\)/s, '(false)')];
}

export const listMutations = (byTest: MutationsByTest): Mutation[] =>
  Object.entries(byTest).flatMap(([test, mutations]) =>
    Object.entries(mutations).map(([name, declaration]) => {
      const [from, to] = changeOf(declaration);
      const file = declaration.file ?? test.replace('.test.ts', '.ts');
      return { name, file, from, to, test, failing: declaration.failing };
    }),
  );
