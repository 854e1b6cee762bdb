/** A text as an editor holds it: every line ends with `\n`, whatever it was stored with (`\r\n`, `\r`). */
export const normalizeLineEndings = (text: string): string => text.replaceAll(/\r\n?/g, '\n');
