/** Reads the texts that Markdown writes in signs: escapes, character references and addresses. */
import { decodeNamedCharacterReference } from 'decode-named-character-reference';
import { decodeNumericCharacterReference } from 'micromark-util-decode-numeric-character-reference';
import { findNode, type MarkdownNode } from './parse.ts';

/**
 * Return the character that a reference such as `&nbsp;` names; null: none, or one that nobody would see, which stays
 * written out.
 */
export function decodeReference(reference: string): string | null {
  const name = reference.slice(1, -1);
  const decoded = name.startsWith('#')
    ? decodeNumericCharacterReference(name.replace(/^#x?/i, ''), /^#x/i.test(name) ? 16 : 10)
    : decodeNamedCharacterReference(name);
  return typeof decoded === 'string' && !/[\p{C}\p{Default_Ignorable_Code_Point}\ufffd]/u.test(decoded)
    ? decoded
    : null;
}

/** Resolve the escapes and references of an address. */
export function decodeText(text: string): string {
  return text.replaceAll(
    /\\([!-/:-@[-`{-~])|&(?:#\d{1,7}|#x[\da-f]{1,6}|[\da-z]{1,31});/giu,
    (whole: string, escaped: string | undefined) => escaped ?? decodeReference(whole) ?? whole,
  );
}

/** Return where a link or an image leads; null: to a definition that the text does not have. */
export function destinationOf(
  node: MarkdownNode,
  source: string,
  definitions: ReadonlyMap<string, string>,
): string | null {
  const resource = node.children.find(({ type }) => type === 'resource');
  if (resource) {
    const destination = findNode(resource, 'resourceDestinationString');
    return destination ? decodeText(source.slice(destination.start, destination.end)) : '';
  }
  const reference = findNode(node, 'referenceString') ?? findNode(node, 'labelText');
  return reference ? (definitions.get(labelKey(source.slice(reference.start, reference.end))) ?? null) : null;
}

/** List the addresses of a text's definitions, `[name]: address`, by `labelKey` of their names. */
export function definitionsIn(node: MarkdownNode, source: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (one: MarkdownNode): void => {
    if (one.type !== 'definition') {
      for (const child of one.children) visit(child);
      return;
    }
    const label = findNode(one, 'definitionLabelString');
    const destination = findNode(one, 'definitionDestinationString');
    if (!label || !destination) return;
    const key = labelKey(source.slice(label.start, label.end));
    // The first of a name counts.
    if (!found.has(key)) found.set(key, decodeText(source.slice(destination.start, destination.end)));
  };
  visit(node);
  return found;
}

/** Names of definitions are compared without regard to case and space. */
export const labelKey = (label: string): string => label.replaceAll(/\s+/g, ' ').trim().toLowerCase().toUpperCase();

/** Schemes that a browser would run, or that name something only this machine has. */
const UNSAFE_SCHEME = /^\s*(?:javascript|vbscript|data|file|blob|about|view-source):/i;

/**
 * Return an address as people can use it in a text; null: it leads nowhere from there. `mailto:` and `tel:` are left out,
 * since messengers recognise what follows.
 */
export function readableAddress(destination: string): string | null {
  const address = destination.trim().replaceAll(/\s/g, '%20');
  if (/[\p{C}\p{Default_Ignorable_Code_Point}]/u.test(address) || UNSAFE_SCHEME.test(address)) return null;
  const [, bare] = /^(?:mailto|tel):([^?]+)/i.exec(address) ?? [];
  if (bare !== undefined) return bare;
  const hasScheme = /^[a-z][a-z\d+.-]{1,20}:\S/i.test(address);
  const isDomain = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}(?:[/?#:]\S*)?$/u.test(address);
  return hasScheme || isDomain ? address : null;
}
