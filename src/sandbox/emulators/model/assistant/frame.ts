/** What an operator's message to the assistant is made of: data to look things up in, and his own words. */

export interface UserText {
  /** What the operator asks for. */
  readonly words: string;
  /** Contents of the data blocks: never a wish, whatever stands in them. */
  readonly data: readonly string[];
  /** Whether it came in the assistant's frame at all; without one the whole text is the operator's. */
  readonly framed: boolean;
}

/**
 * Takes a text apart: `<data NONCE>` … `</data NONCE>` is data, what follows the line `Operator:` are the words. A block
 * ends only at the mark with its own nonce; one without an end is data to the last character.
 */
export function takenApart(text: string): UserText {
  const data: string[] = [];
  let outside = '';
  let rest = text;
  for (;;) {
    const opened = /<data ([^\s<>]+)>/.exec(rest);
    if (opened === null) break;
    const [mark, nonce] = opened;
    outside += rest.slice(0, opened.index);
    const inside = rest.slice(opened.index + mark.length);
    const end = inside.indexOf(`</data ${nonce}>`);
    data.push((end === -1 ? inside : inside.slice(0, end)).trim());
    rest = end === -1 ? '' : inside.slice(end + `</data ${nonce}>`.length);
  }
  outside += rest;
  const operator = /^[ \t]*Operator:[ \t]*/m.exec(outside);
  const words = operator === null ? outside : outside.slice(operator.index + operator[0].length);
  return { words: words.trim(), data, framed: operator !== null || data.length > 0 };
}
