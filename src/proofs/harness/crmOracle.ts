/** Invariants of leads and cards after a scenario, checked on the board, the emulator's journal and the rows. */
import { z } from 'zod';
import { stageForStep } from '../../crm/mapping.ts';
import { stages } from '../../leads/contract.ts';
import type { Change } from '../../sandbox/emulators/amocrm/changes.ts';
import { BOARD_USER, statusOf } from '../../sandbox/emulators/amocrm/setup.ts';
import { CONFIG, PIPELINE, STEPS } from '../../testing/crm.ts';
import type { World } from '../../testing/world.ts';

/** The vendor's limit in any second, for one integration. */
const MAX_CALLS = 7;
/** A process that was stalled for longer cannot tell when calls arrived. */
const STALL_MS = 150;
const BEAT_MS = 20;

/** Record when this process was stalled. */
export function watchStalls(): { readonly stalls: readonly number[]; end(): void } {
  const stalls: number[] = [];
  let last = Date.now();
  const beat = setInterval(() => {
    const now = Date.now();
    if (now - last > STALL_MS) stalls.push(now);
    last = now;
  }, BEAT_MS);
  return { stalls, end: () => clearInterval(beat) };
}

const leadRows = z.array(
  z.object({
    id: z.coerce.number(),
    crm_id: z.string(),
    stage: z.enum(stages),
    status: z.string().nullable(),
    crm_pending: z.boolean(),
  }),
);
const eventRows = z.array(
  z.object({ crm_id: z.string(), event_type: z.string(), by: z.string().nullable(), target: z.string().nullable() }),
);

/**
 * Verify leads and cards. `stalls`: when this process, and the emulator in it, was stalled; calls of that time arrived
 * all at once. Returns the number of calls, of those answered with 429, the most within a second, and of events
 * recorded for the CRM's moves.
 */
export async function verifyCrm({ control, pool }: World, stalls: readonly number[]) {
  const violations: string[] = [];
  const board = await control.amocrm.board();
  const entries = (await control.entriesOf('amocrm')).map(({ change }) => change);
  const leads = leadRows.parse(
    (await pool.query("select id, crm_id, stage, status, crm_pending from leads where crm_id <> '' order by id")).rows,
  );

  for (const card of board.cards) {
    const [lead, ...more] = leads.filter((one) => one.crm_id === String(card.id));
    if (more.length > 0) violations.push(`card ${card.id} has ${more.length + 1} leads`);
    const step = statusOf(card.pipeline_id, card.status_id)?.name ?? '';
    // A card that left the first step before anyone could see it there is not imported.
    if (!lead && card.status_id === STEPS.initial)
      violations.push(`card ${card.id} stands in "${step}" without a lead`);
    if (!lead) continue;
    if (lead.status !== step) violations.push(`lead ${lead.id} says "${lead.status}", its card stands in "${step}"`);
    if (lead.crm_pending) violations.push(`lead ${lead.id} waits for the CRM for ever`);
    const stage = stageForStep({
      config: CONFIG,
      pipelineId: card.pipeline_id,
      stepId: card.status_id,
      current: lead.stage,
    });
    if (stage !== null && stage !== lead.stage)
      violations.push(`lead ${lead.id} is ${lead.stage}, its card stands in "${step}", which is ${stage}`);
  }

  const { rows: pendingRows } = await pool.query<{ wishes: string; changes: string; state: string }>(
    `select (select count(*) from crm_cards where pending_stage is not null) as wishes, (select count(*) from crm_changes) as changes,
            (select string_agg(state, ',') from amocrm_accounts) as state`,
  );
  const [pending] = pendingRows;
  if (pending?.wishes !== '0' || pending.changes !== '0')
    violations.push(`something is left to do: ${JSON.stringify(pending)}`);
  if (pending?.state !== 'connected') violations.push(`the account is ${pending?.state}`);

  const events = eventRows.parse(
    (
      await pool.query(
        `select l.crm_id, e.event_type, e.event_data->>'by' as by,
                case e.event_type when 'stage_changed' then substring(e.event_data->>'reason' from '^Step "(.*)"$')
                     else e.event_data->>'to' end as target
           from lead_events e join leads l on l.id = e.lead_id where l.crm_id <> '' order by e.lead_id, e.id`,
      )
    ).rows,
  );
  violations.push(...duplicateMoves(events), ...unexplainedMoves(events, entries));

  const called = entries.flatMap((change) => (change.what === 'called' && change.clientId !== '' ? [change] : []));
  const peak = peakOf(
    called.filter((one) => one.path.startsWith('/api/')),
    stalls,
  );
  if (peak > MAX_CALLS) violations.push(`${peak} calls within a second, ${MAX_CALLS} are allowed`);
  return {
    cards: board.cards.length,
    leads: leads.length,
    calls: called.length,
    refused: called.filter((one) => one.status === 429).length,
    peak,
    events: events.filter((one) => one.by === 'amoCRM').length,
    violations,
  };
}

type Event = z.output<typeof eventRows>[number];

/** Find a card's consecutive moves into the same step: the second one did not happen. */
function duplicateMoves(events: readonly Event[]): string[] {
  return events.flatMap((event, index) => {
    const before = events[index - 1];
    const again =
      before?.crm_id === event.crm_id &&
      [before, event].every((one) => one.by === 'amoCRM' && one.target !== null) &&
      before.target === event.target;
    return again ? [`card ${event.crm_id} was said to have moved to "${event.target}" twice`] : [];
  });
}

/** Find more moves into a step than people made there: our own writes were taken for theirs. */
function unexplainedMoves(events: readonly Event[], entries: readonly Change[]): string[] {
  const allowed = new Map<string, number>();
  const last = new Map<number, { status: number; by: number }>();
  for (const change of entries) {
    if (change.what !== 'card') continue;
    const { id, status_id: status, updated_by: by } = change.card;
    const before = last.get(id);
    last.set(id, { status, by });
    if (before === undefined || before.status === status) continue;
    // Includes our move if it overwrote a person's move that we had not seen: then the lead follows its card.
    if (by !== BOARD_USER && before.by !== BOARD_USER) continue;
    const key = `${id} ${statusOf(PIPELINE, status)?.name}`;
    allowed.set(key, (allowed.get(key) ?? 0) + 1);
  }
  const recorded = new Map<string, number>();
  for (const { crm_id: id, by, target } of events)
    if (by === 'amoCRM' && target !== null) recorded.set(`${id} ${target}`, (recorded.get(`${id} ${target}`) ?? 0) + 1);
  return [...recorded].flatMap(([key, count]) =>
    count > (allowed.get(key) ?? 0) ? [`card ${key}: ${count} moves were recorded, ${allowed.get(key) ?? 0} made`] : [],
  );
}

/** Return the most calls of one integration in any second, where their times can be told apart. */
function peakOf(calls: readonly { clientId: string; real: number }[], stalls: readonly number[]): number {
  let peak = 0;
  for (const clientId of new Set(calls.map((one) => one.clientId))) {
    const times = calls.filter((one) => one.clientId === clientId).map((one) => one.real);
    times.sort((a, b) => a - b);
    let from = 0;
    for (const [to, at] of times.entries()) {
      while (at - (times[from] ?? at) >= 1000) from++;
      const first = times[from] ?? at;
      if (stalls.some((stall) => stall >= first - STALL_MS && stall <= at + STALL_MS)) continue;
      peak = Math.max(peak, to - from + 1);
    }
  }
  return peak;
}
