/**
 * What a simulated lead does, turn by turn. The order is ours, not the model's: a model that plays a lead tends to end a
 * talk before it has asked what it was to ask, so it only puts a step into words, and never decides that the talk ends.
 */
import type { Persona } from '../personaContract.ts';
import type { Draw } from './draw.ts';

export type Ending = Persona['ending'];

export type Beat =
  /** Reacts to what was written, and asks nothing. */
  | { readonly kind: 'react' }
  | { readonly kind: 'ask'; readonly questions: readonly string[] }
  | { readonly kind: 'object'; readonly objection: string }
  /** Ends the talk; a lead that falls silent has none of these. */
  | { readonly kind: 'end'; readonly ending: Exclude<Ending, 'falls_silent'> };

/** Most turns of a lead, with its ending. What does not fit is left out, in each repeat something else. */
export const MAX_TURNS = 10;
/** How often two questions are asked in one turn. */
const BURST_CHANCE = 0.35;

type Played = Pick<Persona, 'questions' | 'objections' | 'ending'>;

/** Plan the turns of a talk. */
export function planBeats({ questions, objections, ending }: Played, draw: Draw, repeat: number): Beat[] {
  const asked = rotate(questions, repeat).slice(0, MAX_TURNS);
  const objected = rotate(objections, repeat).slice(0, MAX_TURNS - 1);
  const beats: Beat[] = [];
  let rest = [...asked];
  while (rest.length > 0) {
    const size = rest.length > 1 && draw.chance(`burst ${beats.length}`, BURST_CHANCE) ? 2 : 1;
    beats.push({ kind: 'ask', questions: rest.slice(0, size) });
    rest = rest.slice(size);
  }
  // Nobody objects before having heard anything.
  for (const [index, objection] of objected.entries()) {
    const place = Math.ceil(((index + 1) * asked.length) / (objected.length + 1)) + index;
    beats.splice(Math.max(1, Math.min(place, beats.length)), 0, { kind: 'object', objection });
  }
  if (beats.length === 0) beats.push({ kind: 'react' });
  return ending === 'falls_silent'
    ? beats.slice(0, MAX_TURNS)
    : [...beats.slice(0, MAX_TURNS - 1), { kind: 'end', ending }];
}

/** Begin a list at another place, so that repeats of a long list do not all leave out the same. */
function rotate<T>(list: readonly T[], by: number): readonly T[] {
  if (list.length <= MAX_TURNS / 2) return list;
  const start = (by * Math.floor(MAX_TURNS / 2)) % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}
