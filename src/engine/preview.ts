/** The line of a message in lists. */

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Return the first line of a message for lists, at most 140 characters, none of which is cut. */
export function previewOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  if (line.length <= 140) return line;
  const cut = segmenter.segment(line).containing(139)?.index || 139;
  return `${line.slice(0, cut)}…`;
}
