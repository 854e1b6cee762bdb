/** What leads write: polite ends of a conversation, other programs, and edits. */

import changes from '../../conversations/changedText.corpus.json' with { type: 'json' };
import { changesMeaning } from '../../conversations/changedText.ts';
import closings from '../../conversations/closing.corpus.json' with { type: 'json' };
import { isClosing } from '../../conversations/closing.ts';
import robots from '../../conversations/robots.corpus.json' with { type: 'json' };
import { isAutoReply, isRobot, type RecentMessage } from '../../conversations/robots.ts';
import { type CorpusFile, corpusOf } from './corpus.ts';

interface ClosingCase {
  readonly kind: string;
  readonly language?: string;
  readonly text: string;
  readonly closing: boolean;
}

/** A text alone is automatic or not; the last line of a talk is that of a robot or not. */
interface RobotCase {
  readonly kind: string;
  readonly language?: string;
  readonly text?: string;
  /** Who writes, after how many seconds, and what. */
  readonly talk?: readonly (readonly (string | number)[])[];
  readonly verdict: string;
}

interface ChangeCase {
  readonly kind: string;
  readonly before: string;
  readonly after: string;
  readonly changes: boolean;
}

const closingFile: CorpusFile<ClosingCase> = closings;
const robotFile: CorpusFile<RobotCase> = robots;
const changeFile: CorpusFile<ChangeCase> = changes;

export const CLOSINGS = corpusOf('closings', closingFile, ({ text, closing }) => ({
  input: text,
  expected: closing ? 'closing' : 'turn',
  actual: isClosing(text) ? 'closing' : 'turn',
}));

function verdictOfTalk(talk: readonly (readonly (string | number)[])[]): string {
  const messages = talk.map(
    ([who, seconds, text]): RecentMessage => ({
      side: who === 'us' ? 'bot' : 'user',
      kind: 'text',
      text: String(text),
      at: Number(seconds) * 1000,
    }),
  );
  const last = messages.at(-1);
  return last && isRobot(last, messages.slice(0, -1)) ? 'robot' : 'person';
}

export const ROBOTS = corpusOf('robots', robotFile, ({ text, talk = [], verdict }) => ({
  input: text ?? JSON.stringify(talk),
  expected: verdict,
  actual: text === undefined ? verdictOfTalk(talk) : isAutoReply(text) ? 'automatic' : 'person',
}));

export const CHANGES = corpusOf('edits', changeFile, ({ before, after, changes: expected }) => ({
  input: `${before} → ${after}`,
  expected: expected ? 'another meaning' : 'the same',
  actual: changesMeaning(before, after) ? 'another meaning' : 'the same',
}));
