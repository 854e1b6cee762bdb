/**
 * What a lead sees of a text. Models write Markdown, whatever their prompt says, and messengers do not read it: it becomes
 * the markup of the messenger where that is documented, and plain text elsewhere. What people have typed is sent as typed.
 */
import type { Markup } from '../channels/markup.ts';
import {
  childrenOf,
  findNode,
  isEmphasis,
  isTable,
  type MarkdownNode,
  parseablePieces,
  parseMarkdown,
} from '../platform/markdown/parse.ts';
import { definitionsIn, labelKey } from '../platform/markdown/text.ts';
import { BLOCKS, writeChildren } from './markup/blocks.ts';
import { INLINES } from './markup/inlines.ts';
import { MessageWriter, type Written } from './markup/lines.ts';
import type { Context, Handler, Reading, Walk } from './markup/walk.ts';

const HANDLERS: Readonly<Record<string, Handler>> = { ...INLINES, ...BLOCKS };
const TOP: Context = { style: 0, within: null, quotes: 0, quoteMarks: 'none' };

/** Convert a model's text to what a messenger shows. A text without Markdown is returned as it is. */
export function toLeadText(text: string, markup: Markup): string {
  return writeForLead(text, markup).text;
}

/** Convert a model's text, and say which lines head what follows. */
export function writeForLead(text: string, markup: Markup): Written {
  // Most texts have none of the signs that Markdown is made of. Blanks are no ends of lines, or rows of them would be read
  // again from each of them.
  if (!/[*_~`#>[\]|\\&<]|^[^\S\n\r\u2028\u2029]*[-+]\s|^---/m.test(text)) return { text, headings: [] };
  const pieces = parseablePieces(text).map((source) => ({ source, root: parseMarkdown(source) }));
  const found = pieces.map(({ root, source }) => findMarkdown(root, source));
  const reading: Reading = {
    isMarkdown: found.some(({ isMarkdown }) => isMarkdown),
    hasMarkup: markup === 'whatsapp',
    hasStarList: found.reduce((sum, { starItems }) => sum + starItems, 0) > 1,
  };
  let written: Written = { text: '', headings: [] };
  for (const { root, source } of pieces) {
    const next = writePiece(root, source, reading);
    const offset = written.text.length;
    written = {
      text: written.text + next.text,
      headings: [...written.headings, ...next.headings.map((one) => one + offset)],
    };
  }
  // Of a text that is nothing but markup, the markup is what was meant.
  return written.text.trim() === '' ? { text, headings: [] } : written;
}

function writePiece(root: MarkdownNode, source: string, reading: Reading): Written {
  const walk: Walk = {
    source,
    reading,
    definitions: definitionsIn(root, source),
    used: findReferences(root, source),
    writer: new MessageWriter(),
    visit: (node, context) => {
      const handle = HANDLERS[node.type] ?? writeChildren;
      handle(walk, node, context);
    },
  };
  walk.visit(root, TOP);
  return walk.writer.finish(reading.hasMarkup);
}

/** Find what has to be known of the whole text before any of it is written. */
function findMarkdown(root: MarkdownNode, source: string): { isMarkdown: boolean; starItems: number } {
  const found = { isMarkdown: false, starItems: 0 };
  const visit = (node: MarkdownNode): void => {
    const isOnlyMarkdown =
      ['strikethrough', 'link', 'image'].includes(node.type) ||
      isTable(node, source) ||
      (node.type === 'strong' && isEmphasis(node, source, null)) ||
      (node.type === 'atxHeading' && childrenOf(node, 'atxHeadingText').length > 0);
    if (isOnlyMarkdown) found.isMarkdown = true;
    if (node.type === 'listItemPrefix' && source[node.start] === '*') found.starItems += 1;
    for (const child of node.children) visit(child);
  };
  visit(root);
  return found;
}

/** List the definitions that links refer to. */
function findReferences(root: MarkdownNode, source: string): ReadonlySet<string> {
  const used = new Set<string>();
  const visit = (node: MarkdownNode): void => {
    if ((node.type === 'link' || node.type === 'image') && childrenOf(node, 'resource').length === 0) {
      const name = findNode(node, 'referenceString') ?? findNode(node, 'labelText');
      if (name) used.add(labelKey(source.slice(name.start, name.end)));
    }
    for (const child of node.children) visit(child);
  };
  visit(root);
  return used;
}
