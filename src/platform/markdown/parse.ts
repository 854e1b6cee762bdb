/**
 * Parses Markdown as models write it: CommonMark with tables, task lists, struck text, footnotes and bare addresses, as a
 * tree in which every piece has its place in the source. Without what only documents have: HTML, indented code and
 * headings underlined with `---` are text. Runs on the server and in the browser.
 */
import { parse as createParser, postprocess, preprocess } from 'micromark';
import { codeFenced } from 'micromark-core-commonmark';
import { gfmAutolinkLiteral } from 'micromark-extension-gfm-autolink-literal';
import { gfmFootnote } from 'micromark-extension-gfm-footnote';
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough';
import { gfmTable } from 'micromark-extension-gfm-table';
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item';
import type { Event, Extension, Token } from 'micromark-util-types';
import { emphasis } from './emphasis.ts';

/** A piece of Markdown. */
export interface MarkdownNode {
  /** The parser's name of it: `strong`, `codeFenced`, `tableRow`, … */
  readonly type: string;
  /** Where it begins in the source, and where it ends. */
  readonly start: number;
  readonly end: number;
  readonly children: readonly MarkdownNode[];
}

/** Everything but fenced code. */
const BASE: Extension = {
  text: { 42: emphasis, 95: emphasis },
  insideSpan: { null: [{ resolveAll: emphasis.resolveAll }] },
  disable: { null: ['attention', 'codeIndented', 'codeFenced', 'htmlFlow', 'htmlText', 'setextUnderline'] },
};
const fenced = { ...codeFenced, name: 'fence' };
const FENCES: Readonly<Record<Fences, Extension>> = {
  all: { flow: { 96: fenced, 126: fenced } },
  backticks: { flow: { 96: fenced } },
  none: {},
};
type Fences = 'all' | 'backticks' | 'none';

/**
 * Longest text that is parsed as one, characters, and the most signs in it: the parser's time grows with the square of their
 * number in hostile texts.
 */
const MAX_PARSED = 6000;
const MAX_SIGNS = 800;
const SIGNS = /[^\p{L}\p{N}\s.,;!?-]/gu;
/** Deepest nesting that is walked. Nobody writes deeper. */
const MAX_DEPTH = 200;

/** Split a text into pieces that are parsed on their own: all of it, unless it is very long. */
export function parseablePieces(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  for (let limit = parseableLength(rest); limit < rest.length; limit = parseableLength(rest)) {
    const head = rest.slice(0, limit);
    const found = [head.lastIndexOf('\n\n') + 2, head.lastIndexOf('\n') + 1, head.lastIndexOf(' ') + 1];
    const at = found.find((one) => one > limit / 4) ?? limit;
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  pieces.push(rest);
  return pieces;
}

function parseableLength(text: string): number {
  const head = text.slice(0, MAX_PARSED);
  let signs = 0;
  for (const { index } of head.matchAll(SIGNS)) if (++signs > MAX_SIGNS) return index;
  return head.length;
}

/** Parse one piece. Throws nothing: a text that cannot be parsed is a text without markup. */
export function parseMarkdown(text: string): MarkdownNode {
  const plain: MarkdownNode = { type: 'document', start: 0, end: text.length, children: [] };
  try {
    const root = treeOf(text, 'all');
    const [unclosed] = unclosedFences(root);
    if (unclosed === undefined) return root;
    // `~~~` is drawn as an ornament, too, and WhatsApp's code ends wherever its last three backticks are.
    if (text.startsWith('~', unclosed.start)) return treeOf(text, 'backticks');
    return text.includes('```', unclosed.start + 3) ? treeOf(text, 'none') : root;
  } catch {
    return plain;
  }
}

function treeOf(text: string, fences: Fences): MarkdownNode {
  // The parser skips the mark at the beginning, and counts from behind it.
  const skipped = text.startsWith('\ufeff') ? 1 : 0;
  const parser = createParser({
    extensions: [
      gfmTable(),
      gfmStrikethrough({ singleTilde: false }),
      gfmAutolinkLiteral(),
      gfmTaskListItem(),
      gfmFootnote(),
      BASE,
      FENCES[fences],
    ],
  });
  const events = postprocess(parser.document().write(preprocess()(text, undefined, true)));
  return nest(events, { length: text.length, skipped });
}

interface Building {
  readonly token: Token;
  readonly children: MarkdownNode[];
}

function nest(events: readonly Event[], { length, skipped }: { length: number; skipped: number }): MarkdownNode {
  const children: MarkdownNode[] = [];
  const open: Building[] = [];
  for (const [kind, token] of events) {
    if (kind === 'enter') {
      if (open.length > MAX_DEPTH) throw new Error('Nested too deep');
      open.push({ token, children: [] });
      continue;
    }
    const built = open.pop();
    if (!built) continue;
    (open.at(-1)?.children ?? children).push({
      type: token.type,
      start: token.start.offset + skipped,
      end: token.end.offset + skipped,
      children: built.children,
    });
  }
  return { type: 'document', start: 0, end: length, children };
}

/** List the fenced blocks that end with the text, not with a fence. */
function unclosedFences(node: MarkdownNode): MarkdownNode[] {
  if (node.type === 'codeFenced') return childrenOf(node, 'codeFencedFence').length < 2 ? [node] : [];
  return node.children.flatMap(unclosedFences);
}

/** List the direct children of a type. */
export function childrenOf(node: MarkdownNode, type: string): MarkdownNode[] {
  return node.children.filter((child) => child.type === type);
}

/** Return the first descendant of a type. */
export function findNode(node: MarkdownNode, type: string): MarkdownNode | undefined {
  for (const child of node.children) {
    const found = child.type === type ? child : findNode(child, type);
    if (found) return found;
  }
  return undefined;
}

/** Whether a reader would take it for emphasis: something stands out, and no mark is left over beside it. */
export function isEmphasis(node: MarkdownNode, source: string, within: MarkdownNode | null): boolean {
  const inner = node.children.find(({ type }) => type.endsWith('Text'));
  const text = inner ? source.slice(inner.start, inner.end) : '';
  const marker = source[node.start];
  if (node.type === 'strong' && marker === '*') return /[^\s*_~]/.test(text);
  if (!/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text)) return false;
  if (marker === '_' ? isOfName(text, source, node.end) : isOfFormula(text, source, node)) return false;
  if (node.type === 'strong') return true;
  // Nobody emphasises within emphasis: in `**5* and 4*` the marks are something else.
  const isDoubled = inner?.children.some(
    (child) =>
      child.type === 'emphasis' &&
      (child.start === inner.start || child.end === inner.end) &&
      source[child.start] === marker,
  );
  const edges = within?.type === 'strongText' ? within : null;
  const isLeftover = source[node.start - 1] === marker && edges?.start !== node.start;
  return !isDoubled && !isLeftover && !(source[node.end] === marker && edges?.end !== node.end);
}

/** Whether underscores are those of a name: `__init__.py`, `_part_12_`. */
const isOfName = (text: string, source: string, end: number): boolean =>
  !/\s/u.test(text) && (/^\.[a-z\d]/.test(source.slice(end, end + 2)) || /[^_]_[^_]/u.test(text));

/** Whether stars between numbers multiply them: `10 *20* 30`, `5 *6 = 30* 1`. */
function isOfFormula(text: string, source: string, { start, end }: MarkdownNode): boolean {
  if (!/^\p{N}/u.test(text) || !/\p{N}[^\S\n]*$/u.test(source.slice(Math.max(0, start - 4), start))) return false;
  return !/\p{L}/u.test(text) || /^[^\S\n]*[\p{N}=×*/+]/u.test(source.slice(end, end + 4));
}

/** Whether it is a table: a heading row without a divider is a line above a line of dashes. */
export const isTable = (node: MarkdownNode, source: string): boolean =>
  node.type === 'table' && (source.slice(node.start, node.end).split('\n', 1)[0] ?? '').includes('|');

/** List the rows of a table, each with its cells. */
export const rowsOf = (node: MarkdownNode): { row: MarkdownNode; cells: MarkdownNode[] }[] =>
  node.children
    .flatMap((part) => childrenOf(part, 'tableRow'))
    .map((row) => ({ row, cells: row.children.filter(({ type }) => type === 'tableHeader' || type === 'tableData') }));
