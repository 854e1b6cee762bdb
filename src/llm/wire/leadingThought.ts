/** Takes thoughts off an answer: many servers pass on what a model thinks as a part of its text. */

/** The marks around thoughts: of DeepSeek, Qwen and most others; of Gemini; of Seed; of Magistral; of Kimi. */
const MARKS: readonly (readonly [open: string, close: string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<reasoning>', '</reasoning>'],
  ['<seed:think>', '</seed:think>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
];

interface Pieces {
  readonly thought: string;
  readonly text: string;
}

/** Splits a streamed answer into the thoughts that it begins with and the rest, wherever its pieces are cut. */
export class LeadingThought {
  /** What may still become a mark. */
  private buffer = '';
  /** The mark that ends the present thought. */
  private close: string | null = null;
  hasThought = false;
  private isOver = false;

  /** Take the next piece; returns what is certain by now. */
  take(piece: string): Pieces {
    if (this.isOver) return { thought: '', text: piece };
    this.buffer += piece;
    let thought = '';
    for (;;) {
      if (this.close === null) {
        const start = this.buffer.trimStart();
        const mark = MARKS.find(([open]) => start.startsWith(open));
        if (!mark && MARKS.some(([open]) => open.startsWith(start))) return { thought, text: '' };
        if (!mark) return { thought, text: this.end().text };
        this.close = mark[1];
        this.hasThought = true;
        this.buffer = start.slice(mark[0].length);
      }
      const end = this.buffer.indexOf(this.close);
      // The end may be the first half of the closing mark.
      const certain = end === -1 ? Math.max(0, this.buffer.length - this.close.length + 1) : end;
      thought += this.buffer.slice(0, certain);
      this.buffer = this.buffer.slice(end === -1 ? certain : end + this.close.length);
      if (end === -1) return { thought, text: '' };
      this.close = null;
    }
  }

  /** Return what is held back: the answer has no more thoughts before its text. */
  end(): Pieces {
    const { buffer, close } = this;
    this.buffer = '';
    if (close !== null) return { thought: buffer, text: '' };
    this.isOver = true;
    return { thought: '', text: this.hasThought ? buffer.trimStart() : buffer };
  }
}

const escaped = MARKS.map((marks) => marks.map((mark) => mark.replace(/[[\]/]/g, String.raw`\$&`)));
const BLOCK = new RegExp(escaped.map(([open, close]) => `${open}[^]*?${close}`).join('|'), 'g');
/** Quoted marks are what the answer is about. */
const CLOSING = new RegExp(`(?<!\`)(?:${escaped.map(([, close]) => close).join('|')})(?!\`)`, 'g');

/**
 * Remove the thoughts within a text. One that only ends is all before it: templates of Qwen and DeepSeek put its opening
 * mark into the prompt.
 */
export function withoutThoughts(text: string): string {
  if (text.search(CLOSING) === -1) return text;
  const rest = text.replace(BLOCK, '');
  const last = [...rest.matchAll(CLOSING)].at(-1);
  return (last ? rest.slice(last.index + last[0].length) : rest).trimStart();
}
