/** The texts of a hand-over's note and task. Pure. */
import { ownerReasonText } from '../leads/lead.ts';
import type { Piece } from './amocrm/onCard.ts';
import type { ClaimedHandOver } from './store/handOvers.ts';

/** How many hexadecimal digits make a marker unlikely enough to occur by itself on the same card. */
const MARKER_DIGITS = 12;
const MAX_NAME = 100;

/** Return the words by which our note and task are found again. Both texts end with them. */
export const markerOf = (uuid: string): string => `Rapport #${uuid.replaceAll('-', '').slice(0, MARKER_DIGITS)}`;

type Facts = Pick<ClaimedHandOver, 'dialogue_id' | 'lead_name' | 'reason' | 'detail' | 'summary' | 'crm_marker'>;

/** Write the note and the task. `publicUrl`: the console's address, for a link to the dialogue. */
export function handOverTexts(facts: Facts, publicUrl: string): Readonly<Record<Piece, string>> {
  const reason = ownerReasonText({ code: facts.reason, detail: facts.detail });
  const marker = markerOf(facts.crm_marker);
  const link = new URL(`/?page=dialogue-chat&dialogueId=${facts.dialogue_id}`, publicUrl).href;
  const { lines = [], quotes = [] } = facts.summary ?? {};
  const quoted = quotes.map(({ text }) => `"${text.replaceAll(/\s+/gu, ' ').trim()}"`);
  return {
    note: [`Handed over to a person: ${reason}`, ...lines, ...quoted, link, marker].join('\n'),
    task: `Reply to ${facts.lead_name.slice(0, MAX_NAME)}: ${reason}\n${link}\n${marker}`,
  };
}
