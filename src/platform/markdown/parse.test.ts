import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MarkdownNode, parseablePieces, parseMarkdown } from './parse.ts';

const signs = fc.array(
  fc.constantFrom('*', '_', '[', '](', '>', '`', '```', '|', '\n', '\n\n', ' ', 'a', 'слово ', '👍🏽'),
  {
    maxLength: 200,
  },
);

describe('parseMarkdown', () => {
  it('parses long and hostile texts in pieces, which are the text together', () => {
    for (const text of [
      '*a_ '.repeat(20_000),
      'слово '.repeat(20_000),
      '['.repeat(50_000),
      'a\n\n'.repeat(20_000),
      'x'.repeat(50_000),
    ]) {
      const pieces = parseablePieces(text);
      expect(pieces.join('')).toBe(text);
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(6000);
        expect(piece.match(/[^\p{L}\p{N}\s]/gu)?.length ?? 0).toBeLessThanOrEqual(801);
      }
    }
    expect(parseablePieces('**short**')).toEqual(['**short**']);
  });

  it('gives every node its place: children lie in order within their parents', () => {
    const check = (node: MarkdownNode): void => {
      let at = node.start;
      for (const child of node.children) {
        expect(child.start).toBeGreaterThanOrEqual(at);
        expect(child.end).toBeGreaterThanOrEqual(child.start);
        at = child.end;
        check(child);
      }
      expect(at).toBeLessThanOrEqual(node.end);
    };
    fc.assert(fc.property(signs, (list) => check(parseMarkdown(list.join('')))));
    check(parseMarkdown('\ufeff**a** b\r\n\t- c'));
  });

  it('takes a text that is nested beyond all reason for a text without markup', () => {
    expect(parseMarkdown('>'.repeat(5000)).children).toEqual([]);
  });
});
