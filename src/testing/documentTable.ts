/** Checks document tables that name tests: the tests must exist. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Read a file of the repository. */
export const readRepositoryFile = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Return the cells of each row of a document's tables, without header and separator lines. */
export function tableRows(document: string): string[][] {
  const lines = document.split('\n');
  return lines.flatMap((line, index) => {
    if (!line.startsWith('| ') || line.startsWith('| ---') || lines[index + 1]?.startsWith('| ---')) return [];
    return [
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ];
  });
}

export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

/** Parse the tests that a cell names: `` `src/some.test.ts`: title ``, several separated by `; `. */
export function testsIn(cell: string): NamedTest[] {
  return cell.split(/; (?=`)/).map((one) => {
    const [, file, title] = /^`([^`]+\.test\.tsx?)`: (.+)$/.exec(one) ?? [];
    if (file === undefined || title === undefined) throw new Error(`Names no test: ${one}`);
    return { file, title };
  });
}

const titles = new Map<string, string[]>();

/** Return the titles of a file's tests as written: quoted, or in a template. */
function titlesIn(file: string): string[] {
  const cached = titles.get(file);
  if (cached) return cached;
  const text = readRepositoryFile(file);
  const quoted = [
    ...text.matchAll(/\b(?:it|describe|test)(?:\.\w+)?\(?[^'"`\n]*?(['"`])((?:\\.|(?!\1).)*)\1/g),
    ...text.matchAll(/^\s*\)?\(?\s*(['"`])((?:\\.|(?!\1).)*)\1,/gm),
    ...text.matchAll(/\.(?:runIf|skipIf)\([^\n]*?\)\((['"`])((?:\\.|(?!\1).)*)\1/g),
    ...text.matchAll(/\](?: as const)?\)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g),
  ];
  const found = quoted.flatMap(([, , title]) => (title === undefined ? [] : [title.replaceAll("\\'", "'")]));
  titles.set(file, found);
  return found;
}

/** Check whether the file exists and has a test whose title contains this one. */
export function testExists({ file, title }: NamedTest): boolean {
  return existsSync(join(ROOT, file)) && titlesIn(file).some((one) => one.includes(title));
}

export const fileExists = (file: string): boolean => existsSync(join(ROOT, file));
