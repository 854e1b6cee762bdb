/** Writes what stands within a line: emphasis, code, links, escapes. */
import { childrenOf, findNode, isEmphasis } from '../../platform/markdown/parse.ts';
import { decodeReference, destinationOf, readableAddress } from '../../platform/markdown/text.ts';
import { BOLD, CODE, ITALIC, STRUCK } from './lines.ts';
import { copy, type Handler, textOf, wordsOf, writeAside, writeVerbatim } from './walk.ts';
import { isOutside } from './whatsapp.ts';

const emphasis: Handler = (walk, node, context) => {
  const { source, reading } = walk;
  const isOfMarkdown = node.type === 'strong' || source[node.start] === '_' || reading.isMarkdown || !reading.hasMarkup;
  const isMarkup = isOfMarkdown && isEmphasis(node, source, context.within);
  const style = context.style | (isMarkup ? (node.type === 'strong' ? BOLD : ITALIC) : 0);
  for (const child of node.children) {
    if (!child.type.endsWith('Sequence')) walk.visit(child, { ...context, within: child, style });
    else if (!isMarkup) copy(walk, child, context);
  }
};

const struck: Handler = (walk, node, context) => {
  const { source, reading, writer } = walk;
  const [inner] = childrenOf(node, 'strikethroughText');
  if (!inner) return copy(walk, node, context);
  walk.visit(inner, { ...context, style: context.style | STRUCK });
  // Without a line through it, an old price must not be read together with the new one.
  const isReplaced =
    /\p{N}/u.test(textOf(walk, inner)) && /^[^\S\n]*[*_]*[\p{N}\p{Sc}]/u.test(source.slice(node.end, node.end + 20));
  if (!reading.hasMarkup && isReplaced) writer.write(/\s/.test(source[node.end] ?? '') ? ' →' : ' → ', context.style);
};

const code: Handler = (walk, node, context) => {
  const [open, close] = childrenOf(node, 'codeTextSequence');
  if (!open || !close) return copy(walk, node, context);
  let text = walk.source.slice(open.end, close.start);
  // `don`t` has an apostrophe.
  const isApostrophe = open.end - open.start === 1 && !isOutside(walk.source[node.start - 1]);
  if (isApostrophe || text.trim() === '') return copy(walk, node, context);
  if (/^ .* $/s.test(text) && text.trim() !== '') text = text.slice(1, -1);
  if (!walk.reading.hasMarkup || text.includes('```')) return writeVerbatim(walk, text);
  // WhatsApp has code on one line between single backticks, and any other between three.
  const isLong = open.end - open.start === 3 || /[`\n]/.test(text);
  if (!isLong) walk.writer.write(text, CODE);
  else writeVerbatim(walk, /^`|`$/.test(text) ? text : `\`\`\`${text}\`\`\``);
};

const withoutScheme = (address: string): string =>
  address
    .trim()
    .toLowerCase()
    .replace(/^(?:https?:\/\/|mailto:|tel:)?(?:www\.)?/, '')
    .replace(/\/$/, '');

/** Whether the text of a link is its address, or the number that it dials. */
function isSameAddress(text: string, address: string): boolean {
  const digits = (one: string): string => one.replaceAll(/[\s().-]/g, '');
  return (
    withoutScheme(text) === withoutScheme(address) ||
    (/^\+?\d+$/.test(digits(address)) && text.replaceAll(/[^\d+]/g, '') === digits(address))
  );
}

const link: Handler = (walk, node, context) => {
  const destination = destinationOf(node, walk.source, walk.definitions);
  const address = destination === null ? null : readableAddress(destination);
  // `a[1](2)`: what it leads to is no address, not even a place on a page.
  const leadsNowhere = destination === null || (address === null && /^[^./#:]+$/.test(destination.trim()));
  if (leadsNowhere) return copy(walk, node, context);
  const label = findNode(node, 'labelText');
  const name = label ? writeAside(walk, () => walk.visit(label, context)) : [];
  const text = wordsOf(name);
  if (address === null) walk.writer.writePieces(name);
  else if (text === '') writeVerbatim(walk, address);
  else if (isSameAddress(text, address)) writeVerbatim(walk, /^https?:/i.test(address) ? address : text);
  else {
    // Behind a bracket some messengers take the closing one for a part of the address.
    const isBare = /[()]/.test(address);
    walk.writer.writePieces(name);
    walk.writer.write(isBare ? (text.endsWith(':') ? ' ' : ': ') : ' (', 0);
    writeVerbatim(walk, address);
    if (!isBare) walk.writer.write(')', 0);
  }
};

/** Characters before a backslash that may be a path with it. */
const LONGEST_PATH = 60;

const escape: Handler = (walk, node, { style }) => {
  // The arm of `¯\_(ツ)_/¯`, and paths: `C:\*.txt`.
  const before = walk.source.slice(Math.max(0, node.start - LONGEST_PATH), node.start);
  const isSign = before.endsWith('¯') || /(?<![\p{L}\p{N}])[A-Z]:(?:\\\S*)?$/iu.test(before);
  walk.writer.write(walk.source.slice(node.start + (isSign ? 0 : 1), node.end), style);
};

export const INLINES: Readonly<Record<string, Handler>> = {
  strong: emphasis,
  emphasis,
  strikethrough: struck,
  codeText: code,
  link,
  image: link,
  autolink: (walk, node) =>
    writeVerbatim(walk, walk.source.slice(node.start + 1, node.end - 1).replace(/^(?:mailto|tel):/i, '')),
  literalAutolink: (walk, node) => writeVerbatim(walk, textOf(walk, node)),
  characterEscape: escape,
  characterReference: (walk, node, { style }) =>
    walk.writer.write(decodeReference(textOf(walk, node)) ?? textOf(walk, node), style),
  hardBreakEscape: (walk, node, context) => {
    // A path, `D:\`, may end a line, too.
    if (walk.source[node.start - 1] === ':') copy(walk, node, context);
  },
  gfmFootnoteCall: (walk, node, { style }) => walk.writer.write(textOf(walk, node).replace('^', ''), style),
};
