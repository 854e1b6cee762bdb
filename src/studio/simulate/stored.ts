/** What a simulation stores with its subjects and samples, for itself. */
import { z } from 'zod';
import { persona } from '../personaContract.ts';
import { studioOutput } from '../runContract.ts';
import { talkWorld } from './talkWorld.ts';

export const subjectInput = z.object({
  persona,
  world: talkWorld,
  /** Of real talks, as numbers; in the first subject of a run only. */
  real: z
    .object({
      styles: z.array(z.array(z.number())),
      agreement: z.object({ count: z.int(), total: z.int() }),
    })
    .nullable(),
});

/** What a talk leaves behind. */
export const talkOutput = studioOutput.extend({
  lines: z.array(z.object({ side: z.enum(['user', 'bot']), text: z.string() })),
  style: z.array(z.number()).nullable(),
  agreement: z.object({ count: z.int(), total: z.int() }),
  /** Turns of the lead that had to be written again, and that were replaced by plain words. */
  repaired: z.int(),
  replaced: z.int(),
  /** A lead who had refused got follow-ups. */
  pursued: z.boolean(),
});
