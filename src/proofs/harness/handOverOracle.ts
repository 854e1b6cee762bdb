/** Invariants of hand-overs after a scenario, checked on the emulators' journal and the rows. */
import { z } from 'zod';
import { dialogueSummary } from '../../conversations/handOverContract.ts';
import { INVENTED } from '../../sandbox/emulators/model/summarize.ts';
import type { World } from '../../testing/world.ts';

const handOverRows = z.array(
  z.object({
    id: z.coerce.number(),
    address: z.string(),
    marker: z.string(),
    card: z.coerce.number(),
    summary: dialogueSummary.nullable(),
    summary_state: z.string(),
    crm_state: z.string(),
    crm_note_id: z.string().nullable(),
    crm_task_id: z.string().nullable(),
  }),
);
type HandOverRow = z.output<typeof handOverRows>[number];

interface OnCard {
  readonly id: number;
  readonly card: number;
  readonly text: string;
}

/** Verify hand-overs: one note and one task each, and no quotation that nobody wrote. */
export async function verifyHandOvers({ control, pool }: World) {
  const changes = (await control.entriesOf('amocrm')).map(({ change }) => change);
  const notes = changes.flatMap((change) => (change.what === 'note' ? [change.note] : []));
  const tasks = changes.flatMap((change) => (change.what === 'task' ? [change.task] : []));
  const { rows } = await pool.query(
    `select h.id, k.address, 'Rapport #' || left(replace(h.crm_marker::text, '-', ''), 12) as marker, c.card_id as card, h.summary,
            h.summary_state, h.crm_state, h.crm_note_id, h.crm_task_id
       from hand_overs h join crm_cards c on c.lead_id = h.lead_id join dialogues d on d.id = h.dialogue_id
       join contacts k on k.id = d.contact_id order by h.id`,
  );
  const handOvers = handOverRows.parse(rows);
  const violations: string[] = [];
  for (const row of handOvers) {
    if (row.summary_state === 'pending') violations.push(`hand-over ${row.id} has no summary yet`);
    if (row.crm_state !== 'done') violations.push(`hand-over ${row.id} is ${row.crm_state} in the CRM`);
    violations.push(
      ...createdOnce(row, 'note', { all: notes, id: row.crm_note_id }),
      ...createdOnce(row, 'task', { all: tasks, id: row.crm_task_id }),
    );
    const { messages } = await control.thread(row.address);
    violations.push(
      ...inventedIn(
        row,
        messages.flatMap(({ author, text }) => (author === 'lead' && text !== undefined ? [text] : [])),
      ),
    );
  }
  for (const one of [...notes, ...tasks])
    if (one.text.includes(INVENTED)) violations.push(`card ${one.card} shows what nobody wrote: ${one.text}`);
  const completions = await control.entriesOf('completion');
  const called = changes.flatMap((change) => (change.what === 'called' && change.method === 'POST' ? [change] : []));
  return {
    'hand-overs': handOvers.length,
    notes: notes.length,
    tasks: tasks.length,
    'calls that create': called.filter(({ path }) => path.startsWith('/api/v4/')).length,
    'of these without an answer': called.filter(({ status }) => status === 504).length,
    summaries: handOvers.filter(({ summary_state: state }) => state === 'done').length,
    'without one': handOvers.filter(({ summary_state: state }) => state === 'failed').length,
    'invented by the model': completions.filter(({ answer }) => answer.includes(INVENTED)).length,
    violations,
  };
}

/** Find what was created more or less than once, or is known by another id. */
function createdOnce(
  row: HandOverRow,
  piece: string,
  { all, id }: { all: readonly OnCard[]; id: string | null },
): string[] {
  const own = all.filter(({ text }) => text.endsWith(row.marker));
  if (own.length !== 1) return [`hand-over ${row.id} has ${own.length} ${piece}s`];
  const [one] = own;
  return String(one?.id) === id && one?.card === row.card
    ? []
    : [`hand-over ${row.id} knows ${piece} ${id}, the card has ${one?.id}`];
}

/** Find quotations that the lead's phone does not show. All quotation marks of the emulated model are straight. */
function inventedIn({ id, summary }: HandOverRow, written: readonly string[]): string[] {
  const quoted = [
    ...(summary?.quotes.map(({ text }) => text) ?? []),
    ...(summary?.lines.flatMap((line) => [...line.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text)) ?? []),
  ];
  return quoted
    .filter((text) => !written.some((one) => one.includes(text)))
    .map((text) => `hand-over ${id} quotes what nobody wrote: ${text}`);
}
