/** Writes what stands on lines of its own: headings, lists, quotations, code, tables, notes. */
import { childrenOf, findNode, isTable, type MarkdownNode, rowsOf } from '../../platform/markdown/parse.ts';
import { labelKey } from '../../platform/markdown/text.ts';
import { BOLD, type Piece } from './lines.ts';
import { type Context, copy, type Handler, textOf, type Walk, wordsOf, writeAside, writeVerbatim } from './walk.ts';

/** Write the children of a node; what lies between them is text. */
export const writeChildren: Handler = (walk, node, context) => {
  let at = node.start;
  let previous: MarkdownNode | undefined;
  for (const child of node.children) {
    copy(walk, { start: at, end: child.start }, context);
    // A line of dashes right under a line of text was drawn there; it is a break only with space around it.
    const isDrawn =
      child.type === 'thematicBreak' && previous?.type === 'content' && textOf(walk, child).startsWith('--');
    if (isDrawn) copy(walk, child, context);
    else walk.visit(child, context);
    at = child.end;
    if (child.type !== 'lineEnding') previous = child;
  }
  copy(walk, { start: at, end: node.end }, context);
};

const heading: Handler = (walk, node, context) => {
  const [text] = childrenOf(node, 'atxHeadingText');
  if (!text) return copy(walk, node, context);
  walk.writer.markHeading();
  walk.visit(text, { ...context, style: context.style | BOLD });
};

const fence: Handler = (walk, node, context) => {
  const code = childrenOf(node, 'codeFlowValue').map((one) => textOf(walk, one));
  const isFenced = walk.reading.hasMarkup && code.length > 0 && !code.join('\n').includes('```');
  for (const child of node.children) {
    if (child.type === 'codeFencedFence') {
      if (isFenced) writeVerbatim(walk, '```');
      else walk.writer.dropLine();
    } else if (child.type === 'blockQuotePrefix') quotePrefix(walk, child, context);
    else if (child.type === 'lineEnding' || child.type === 'codeFlowValue') writeVerbatim(walk, textOf(walk, child));
  }
  if (isFenced && childrenOf(node, 'codeFencedFence').length < 2) writeVerbatim(walk, '\n```');
};

const quote: Handler = (walk, node, context) => {
  writeChildren(walk, node, {
    ...context,
    quotes: context.quotes + 1,
    quoteMarks: context.quotes === 0 ? quoteMarksOf(walk, node) : context.quoteMarks,
  });
};

function quoteMarksOf({ source, reading }: Walk, { start }: MarkdownNode): Context['quoteMarks'] {
  const beginning = source.slice(start, start + 10);
  // `>>> News <<<`, `>_<`, and `> 5 km`, which is more than that and nobody's words.
  if (!/^>(?:\s|$)/.test(beginning)) return 'all';
  return reading.hasMarkup || /^>[^\S\n]*[\p{N}\p{Sc}~≈=+-]/u.test(beginning) ? 'outermost' : 'none';
}

const quotePrefix: Handler = (walk, node, context) => {
  const isKept = context.quoteMarks === 'all' || (context.quoteMarks === 'outermost' && context.quotes <= 1);
  if (isKept) copy(walk, node, context);
};

const bullet: Handler = (walk, node, { style }) => {
  const text = textOf(walk, node);
  const hasBox = /^\[[ x]\]\s/i.test(walk.source.slice(node.end, node.end + 4)) && /^\s*[-*+]/.test(text);
  if (!hasBox) walk.writer.write(walk.reading.hasStarList ? text.replace(/^(\s*)\*\s+/, '$1- ') : text, style);
};

const definition: Handler = (walk, node, context) => {
  const label = findNode(node, 'definitionLabelString');
  // `[Ann]: hello` has the form of one.
  if (label && walk.used.has(labelKey(textOf(walk, label)))) walk.writer.dropLine();
  else copy(walk, node, context);
};

type Cell = readonly Piece[];

/** Write a table as lines: `Name: value` for two columns, `Name — Column: value; Column: value` for more. */
const table: Handler = (walk, node, context) => {
  if (!isTable(node, walk.source)) return writeChildren(walk, node, context);
  const cellOf = (cell: MarkdownNode): Cell => {
    const [content] = childrenOf(cell, 'tableContent');
    return content ? writeAside(walk, () => walk.visit(content, context)) : [];
  };
  const [top, ...rest] = rowsOf(node);
  const head = (top?.cells ?? []).map(cellOf);
  const isWide = head.length > 2 && rest.length > 0;
  const lines = rest.map(({ row, cells }) => () => {
    // A line right under a table counts as its last row.
    if (!textOf(walk, row).includes('|')) for (const cell of cells) walk.writer.writePieces(cellOf(cell));
    else if (isWide) writeRow(walk, head, cells.map(cellOf));
    else writePair(walk, cells.map(cellOf), 0);
  });
  if (!isWide) lines.unshift(() => writePair(walk, head, BOLD));
  const wanted = !isWide && wordsOf(head.flat()) === '' ? lines.slice(1) : lines;
  for (const [index, write] of wanted.entries()) {
    if (index > 0) walk.writer.write(lineStart(context), 0);
    write();
  }
};

const lineStart = ({ quotes, quoteMarks }: Context): string => (quotes > 0 && quoteMarks !== 'none' ? '\n> ' : '\n');

const separatorAfter = (cell: Cell): string => (wordsOf(cell).endsWith(':') ? ' ' : ': ');

function writePair({ writer }: Walk, row: readonly Cell[], style: number): void {
  const cells = row.filter((cell) => wordsOf(cell) !== '');
  for (const [index, cell] of cells.entries()) {
    if (index > 0) writer.write(separatorAfter(cells[index - 1] ?? []), style);
    writer.writePieces(cell, style);
  }
}

function writeRow({ writer }: Walk, head: readonly Cell[], [name = [], ...cells]: readonly Cell[]): void {
  writer.writePieces(name, BOLD);
  let separator = wordsOf(name) === '' ? '' : ' — ';
  for (const [index, cell] of cells.entries()) {
    if (wordsOf(cell) === '') continue;
    const column = head[index + 1] ?? [];
    writer.write(separator, 0);
    writer.writePieces(column);
    if (wordsOf(column) !== '') writer.write(separatorAfter(column), 0);
    writer.writePieces(cell);
    separator = '; ';
  }
}

const nothing: Handler = () => undefined;

export const BLOCKS: Readonly<Record<string, Handler>> = {
  atxHeading: heading,
  codeFenced: fence,
  blockQuote: quote,
  blockQuotePrefix: quotePrefix,
  listItemPrefix: bullet,
  taskListCheck: (walk, node, { style }) =>
    walk.writer.write(findNode(node, 'taskListCheckValueChecked') ? '☑' : '☐', style),
  definition,
  table,
  thematicBreak: ({ writer }) => writer.dropLine(),
  gfmFootnoteDefinitionLabel: (walk, node, { style }) =>
    walk.writer.write(`${textOf(walk, node).replace('^', '')} `, style),
  definitionMarker: nothing,
  gfmFootnoteDefinitionWhitespace: nothing,
  gfmFootnoteDefinitionIndent: nothing,
};
