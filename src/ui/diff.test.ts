import { describe, expect, it } from 'vitest';
import { diffLines, showInvisibleCharacters } from './diff.ts';

const numbered = (count: number): string[] => Array.from({ length: count }, (_one, index) => `line ${index + 1}`);
const rendered = (before: string, after: string, context?: number): string[][] =>
  diffLines(before, after, context).map((hunk) =>
    hunk.map(
      ({ kind, parts }) => `${kind[0]} ${parts.map((part) => (part.changed ? `[${part.text}]` : part.text)).join('')}`,
    ),
  );

describe('a diff', () => {
  it('is empty for equal texts, also when only the last line break differs', () => {
    expect(diffLines('a\nb', 'a\nb')).toEqual([]);
    expect(diffLines('a\nb', 'a\nb\n')).toEqual([]);
    expect(diffLines('a\r\nb\rc', 'a\nb\nc\r\n')).toEqual([]);
  });

  it('marks the words that differ', () => {
    expect(rendered('Hello dear Anna', 'Hello good Anna')).toEqual([['r Hello [dear] Anna', 'a Hello [good] Anna']]);
  });

  it('shows three to ten lines around a change, as asked', () => {
    const before = numbered(40);
    const after = before.toSpliced(19, 1, 'new');
    const lines = (context: number) => diffLines(before.join('\n'), after.join('\n'), context)[0]?.length;
    expect([0, 3, 7, 10, 99].map(lines)).toEqual([8, 8, 16, 22, 22]);
  });

  it('keeps distant changes apart and numbers the lines of both texts', () => {
    const before = numbered(30);
    const after = ['first', ...before.slice(0, 29), 'last'];
    const hunks = diffLines(before.join('\n'), after.join('\n'));
    expect(hunks).toHaveLength(2);
    expect(hunks[0]?.[0]).toMatchObject({ kind: 'added', before: null, after: 1 });
    expect(hunks[0]?.[1]).toMatchObject({ kind: 'same', before: 1, after: 2 });
  });
});

it('writes invisible characters out', () => {
  expect(showInvisibleCharacters('a\u200bb\u202ec\td')).toBe('a⟨U+200B⟩b⟨U+202E⟩c\td');
});
