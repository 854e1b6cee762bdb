/**
 * Control characters, line breaks and what changes the direction of a text: names and answers are written by members
 * and models, and a terminal or the log of a build server would obey them.
 */
const OBEYED = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Return the text on one line, with what a terminal would obey written as its code. */
export const printable = (text: string): string =>
  text.replace(OBEYED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
