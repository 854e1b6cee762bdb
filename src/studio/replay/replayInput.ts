/** What a replayed turn keeps for its samples and for what is concluded from them. */
import { z } from 'zod';
import { studioOutput } from '../runContract.ts';

const keys = z.array(z.string());

export const replayInput = z.object({
  /** Of the turn in its dialogue. */
  position: z.number(),
  message_id: z.number(),
  /** What was sent. */
  real: z.string(),
  /** The live version wrote it, with the run's model: it is one more of its answers. */
  is_of_live: z.boolean(),
  /** What a judge has to repeat; neither a lead nor a model can know it. */
  code: z.string(),
  /** Characters of the conversation before the answer. */
  history_length: z.number(),
  /** Facts of the conversation before the answer. */
  context_facts: z.object({ prices: keys, links: keys, numbers: keys }),
});
export type ReplayInput = z.output<typeof replayInput>;

const preference = z.enum(['first', 'second', 'tie']);

/** What a judge has said of a turn, as it is stored with its sample. */
export const judgement = studioOutput.extend({
  first: z.string(),
  second: z.string(),
  is_candidate_first: z.boolean(),
  judge: z.string(),
  /** What it preferred in each order, by position; and what follows from both. */
  order: preference,
  reverse: preference,
  judged: preference,
});
