/** Contract of what became of a message after it was sent, and of what it refers to. */
import { z } from 'zod';
import { instant } from '../platform/contract.ts';

/** What a message said before it was edited. */
const earlierText = z.object({ text: z.string(), replaced_at: instant });
export type EarlierText = z.output<typeof earlierText>;

/** Fields of a message. */
export const messageChanges = {
  /** When its author edited it; `message` has the new words. */
  edited_at: instant.nullable(),
  /** What it said before, oldest first. */
  earlier_texts: z.array(earlierText),
  /** When its author deleted it in the messenger. Models do not see it any more. */
  deleted_at: instant.nullable(),
  /** The message that it quotes or reacts to, if that is part of the dialogue. */
  refers_to: z.object({ id: z.int(), text: z.string() }).nullable(),
};
