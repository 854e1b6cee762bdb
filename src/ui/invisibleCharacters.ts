/** Find and name invisible characters in a text. Pure. */

/** A piece of a text: either visible text or one invisible character. */
export type TextPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'invisible'; readonly char: string; readonly code: string; readonly name: string };

/**
 * Control characters except tab and line breaks, the soft hyphen, zero-width and bidirectional characters, blank
 * fillers, variation selectors and tags. Ordinary spaces are not included.
 */
const INVISIBLE =
  // Controls are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\u2800\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/gu;

const NAMES: ReadonlyMap<number, string> = new Map([
  [0xad, 'soft hyphen'],
  [0x200b, 'zero-width space'],
  [0x200c, 'zero-width non-joiner'],
  [0x200d, 'zero-width joiner'],
  [0x200e, 'left-to-right mark'],
  [0x200f, 'right-to-left mark'],
  [0x202a, 'left-to-right embedding'],
  [0x202b, 'right-to-left embedding'],
  [0x202c, 'end of a change of direction'],
  [0x202d, 'left-to-right override'],
  [0x202e, 'right-to-left override'],
  [0x2060, 'word joiner'],
  [0xfeff, 'zero-width no-break space'],
]);

/**
 * Split a text into pieces. Invisible characters that are part of a visible one, such as the joiners in an emoji or in
 * Persian script, stay in the text.
 */
export function splitInvisibleCharacters(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { 0: char, index } of text.matchAll(INVISIBLE)) {
    if (isPartOfVisibleSign(text.slice(0, index), char, text.slice(index + char.length))) continue;
    if (index > from) pieces.push({ kind: 'text', text: text.slice(from, index) });
    const point = char.codePointAt(0) ?? 0;
    const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
    pieces.push({ kind: 'invisible', char, code, name: NAMES.get(point) ?? kindOf(point) });
    from = index + char.length;
  }
  if (from < text.length) pieces.push({ kind: 'text', text: text.slice(from) });
  return pieces;
}

function isPartOfVisibleSign(before: string, char: string, after: string): boolean {
  const point = char.codePointAt(0) ?? 0;
  if (point === 0xfe0e || point === 0xfe0f) return /\p{Emoji}/u.test(lastOf(before));
  if (point === 0x200d) {
    const emoji = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u.test(lastOf(before));
    return (emoji && /\p{Extended_Pictographic}/u.test(firstOf(after))) || joinsLetters(before, after);
  }
  if (point === 0x200c) return joinsLetters(before, after);
  // Flags of England, Scotland and Wales: a black flag, tags and the closing tag.
  if (point >= 0xe0020 && point <= 0xe007f) return /\u{1f3f4}[\u{e0020}-\u{e007e}]*$/u.test(before);
  return false;
}

/** Return whether the character stands between letters of a script that is written with joiners. */
function joinsLetters(before: string, after: string): boolean {
  const script =
    /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}]/u;
  return script.test(lastOf(before)) && script.test(firstOf(after));
}

const lastOf = (text: string): string => Array.from(text.slice(-4)).at(-1) ?? '';
const firstOf = (text: string): string => Array.from(text.slice(0, 2))[0] ?? '';

function kindOf(point: number): string {
  if (point < 0x20 || (point >= 0x7f && point <= 0x9f)) return 'control character';
  if (point >= 0xe0000 && point <= 0xe007f) return 'tag character';
  if ((point >= 0xfe00 && point <= 0xfe0f) || point >= 0xe0100) return 'variation selector';
  if (point >= 0x2066 && point <= 0x2069) return 'change of direction';
  return 'invisible character';
}
