/** The scripted model's summary of a conversation, as JSON. Like real models, it sometimes quotes what nobody wrote. */
import { type ChatRequest, systemOf, textOf } from './request.ts';
import { QUESTION } from './rules.ts';
import { sentencesOf } from './words.ts';

interface LeadMessage {
  readonly id: number;
  readonly text: string;
}

/** Nobody writes this; its summary says so where it is shown. */
export const INVENTED = 'I agree to every price you name';

/** Longest passage that it quotes, characters. */
const MAX_QUOTE = 120;

/** Return whether the prompt asks for lines and quotations. */
export const wantsSummary = (request: ChatRequest): boolean => /"lines":.*"quotes":/.test(systemOf(request));

/**
 * Quote the lead's last messages. By the number of the last one: an invented quotation follows, or one is put into a
 * line, or one is given to another message.
 */
export function summarize(request: ChatRequest): string {
  const messages = leadMessages(request);
  const last = messages.at(-1);
  const sentences = messages.flatMap(({ id, text }) => sentencesOf(text).map((sentence) => ({ id, text: sentence })));
  const question = sentences.findLast(({ text }) => QUESTION.test(text)) ?? sentences.at(-1);
  const quotes = sentences.slice(-2).map(({ id, text }) => ({ message_id: id, text: text.slice(0, MAX_QUOTE) }));
  const lines = [
    question === undefined ? 'The lead says little.' : `The lead asks: "${question.text.slice(0, MAX_QUOTE)}"`,
    'Nothing was agreed yet.',
    'Answer the last message.',
  ];
  const kind = (last?.id ?? 0) % 4;
  return JSON.stringify({
    lines: kind === 2 ? lines.with(1, `The lead says "${INVENTED}".`) : lines,
    quotes: [
      ...quotes,
      ...(kind === 1 && last ? [{ message_id: last.id, text: INVENTED }] : []),
      ...(kind === 3 && last ? [{ message_id: last.id + 1, text: last.text.slice(0, MAX_QUOTE) }] : []),
    ],
  });
}

/** Read what the lead wrote from the transcript: `lead 12: "…"`. */
function leadMessages(request: ChatRequest): LeadMessage[] {
  const transcript = request.messages.filter(({ role }) => role === 'user').map(textOf);
  return [...transcript.join('\n').matchAll(/^lead (\d+): (".*")$/gm)].map(([, id, text = '""']) => ({
    id: Number(id),
    text: String(JSON.parse(text)),
  }));
}
