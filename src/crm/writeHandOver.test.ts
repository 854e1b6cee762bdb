import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setOwner } from '../conversations/contract.ts';
import { retryHandOver } from '../conversations/handOverContract.ts';
import { markDone } from '../desk/contract.ts';
import type { Client } from '../testing/client.ts';
import { connectAmocrm, connectProduct, UNMAPPED } from '../testing/crm.ts';
import { handOver, putCard, readHandOver } from '../testing/handOvers.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { readIntegrationState, syncIntegration } from './amocrmContract.ts';
import { writeHandOver } from './writeHandOver.ts';

/** The longest that a call may take; the search after an unknown outcome waits one and a half times as long. */
const CALL_SECONDS = 0.6;
const NOTES = { text: 'POST /api/v4/leads' };
const TASKS = { text: 'POST /api/v4/tasks' };

let world: World;
let admin: Client;
let integration: number;

beforeAll(async () => {
  world = await createWorld({
    env: { RAPPORT_CRM_CALL_SECONDS: String(CALL_SECONDS), RAPPORT_MODEL_SILENCE_SECONDS: '3' },
  });
  await world.control.changeSettings({ amocrm: { pausesMs: [50, 50, 50, 50] } });
  admin = await world.operator();
  integration = await connectAmocrm(world, admin);
  await connectProduct(world, admin, integration);
  await world.drain();
});
afterEach(() => world.control.setFaults([]));
afterAll(() => world.close());

/** Create a lead who has written, in a dialogue of a human, with a card. */
async function leadWithCard(name: string): Promise<{ lead: TestLead; card: number }> {
  const lead = await world.lead(name, { stage: 'ongoing' });
  await world.pool.query("update dialogues set owner = 'human' where contact_id = $1", [lead.contactId]);
  await lead.writes(`How much is a kitchen for ${name}?`);
  await world.drain();
  const card = await putCard(world, lead, { integration, status_id: UNMAPPED });
  await world.drain();
  return { lead, card };
}

async function onCard(card: number): Promise<{ notes: string[]; tasks: string[] }> {
  const { cards } = await world.control.amocrm.board();
  const found = cards.find(({ id }) => id === card);
  return { notes: found?.notes.map(({ text }) => text) ?? [], tasks: found?.tasks.map(({ text }) => text) ?? [] };
}

async function expectOneOfEach(id: number, card: number): Promise<void> {
  const { marker, crm_state: state, crm_note_id: note, crm_task_id: task } = await readHandOver(world, id);
  const { cards } = await world.control.amocrm.board();
  const found = cards.find((one) => one.id === card);
  expect(found?.notes.map((one) => [String(one.id), one.text.endsWith(marker)])).toEqual([[note, true]]);
  expect(found?.tasks.map((one) => [String(one.id), one.text.endsWith(marker)])).toEqual([[task, true]]);
  expect(state).toBe('done');
}

it('creates a note with the summary and a task until the target, for the responsible user', async () => {
  const { lead, card } = await leadWithCard('Anna');
  const id = await handOver(world, lead, 30);
  await world.drain();
  const { marker, summary } = await readHandOver(world, id);
  const link = `${world.url}/?page=dialogue-chat&dialogueId=${await lead.dialogueId()}`;
  const quotes = summary?.quotes.map(({ text }) => `"${text}"`) ?? [];
  expect(summary?.lines.length).toBeGreaterThan(1);
  expect(await onCard(card)).toEqual({
    notes: [['Handed over to a person: qualified', ...(summary?.lines ?? []), ...quotes, link, marker].join('\n')],
    tasks: [`Reply to Anna: qualified\n${link}\n${marker}`],
  });
  await expectOneOfEach(id, card);
  const created = (await world.control.entriesOf('amocrm')).flatMap(({ change }) =>
    change.what === 'task' ? [change.task] : [],
  );
  const { rows } = await world.pool.query<{ due: string }>(
    'select floor(extract(epoch from due_at)) as due from hand_overs where id = $1',
    [id],
  );
  expect(created.find((one) => one.card === card)).toMatchObject({
    responsible_user_id: 12,
    task_type_id: 1,
    complete_till: Number(rows[0]?.due),
  });
});

it.each([
  ['the answer to the note is lost', 'amocrm.lose_answer', NOTES],
  ['the answer to the task is lost', 'amocrm.lose_answer', TASKS],
  ['a gateway fails after the note', 'amocrm.fail_after', NOTES],
  ['the answer to the task takes too long', 'amocrm.delay', TASKS],
] as const)('finds what it created when %s', async (_what, kind, match) => {
  const { lead, card } = await leadWithCard('Boris');
  await world.control.setFaults([{ kind, times: 1, match, ms: CALL_SECONDS * 1300 }]);
  const id = await handOver(world, lead);
  await world.drain();
  await expectOneOfEach(id, card);
});

it('creates again what was never created', async () => {
  const { lead, card } = await leadWithCard('Clara');
  await world.control.setFaults([
    { kind: 'amocrm.fail_before', times: 2, match: NOTES },
    { kind: 'amocrm.rate_limited', times: 2, match: TASKS },
  ]);
  const id = await handOver(world, lead);
  await world.drain();
  await expectOneOfEach(id, card);
});

it('neither searches nor creates while another call may be under way', async () => {
  const { lead, card } = await leadWithCard('Darya');
  const id = await handOver(world, lead);
  await world.pool.query(
    "update hand_overs set summary_state = 'off', note_attempted_at = clock_timestamp() + interval '1 hour' where id = $1",
    [id],
  );
  await world.waitUntil(async () => {
    const { rows } = await world.pool.query(
      "select 1 from hand_overs where id = $1 and retry_at > clock_timestamp() + interval '1 hour' and claimed_by is null",
      [id],
    );
    return rows.length > 0;
  }, 'it is deferred');
  expect(await onCard(card)).toEqual({ notes: [], tasks: [] });
  await world.pool.query('update hand_overs set note_attempted_at = clock_timestamp(), retry_at = null where id = $1', [
    id,
  ]);
  await world.drain();
  await expectOneOfEach(id, card);
});

it('waits for the summary, but no longer than its time', async () => {
  const { lead, card } = await leadWithCard('Dora');
  await world.control.setFaults([{ kind: 'openai.stall_first' }]);
  const id = await handOver(world, lead);
  await world.waitUntil(async () => {
    const { rows } = await world.pool.query(
      'select 1 from hand_overs where id = $1 and summary_claimed_by is not null',
      [id],
    );
    return rows.length > 0;
  }, 'the summary is asked for');
  await writeHandOver(appContext(), id);
  // Whoever else has claimed it would be writing.
  await world.waitUntil(async () => {
    const { rows } = await world.pool.query('select 1 from hand_overs where id = $1 and claimed_by is null', [id]);
    return rows.length > 0;
  }, 'nobody to write note and task');
  expect(await onCard(card)).toEqual({ notes: [], tasks: [] });
  await world.pool.query('update hand_overs set summary_wait_until = clock_timestamp() where id = $1', [id]);
  await world.waitUntil(async () => (await readHandOver(world, id)).crm_state === 'done', 'note and task');
  expect(await readHandOver(world, id)).toMatchObject({ summary_state: 'pending' });
  await expectOneOfEach(id, card);
});

it('has no note and no task without a card, or when the card is gone', async () => {
  const lead = await world.lead('Elena');
  const withoutCard = await handOver(world, lead);
  const { lead: other, card } = await leadWithCard('Fedor');
  await world.control.setFaults([{ kind: 'hooks.drop', match: { account: 'amocrm' } }]);
  await world.control.amocrm.deleteCard(card);
  const withDeleted = await handOver(world, other);
  await world.drain();
  const states = [withoutCard, withDeleted].map(async (id) => (await readHandOver(world, id)).crm_state);
  expect(await Promise.all(states)).toEqual(['none', 'none']);
});

it('shows a refusal, and tries again when an operator asks for it', async () => {
  const { lead, card } = await leadWithCard('Galina');
  await world.control.setFaults([{ kind: 'amocrm.fail_before', status: 402, match: TASKS }]);
  const id = await handOver(world, lead);
  await world.drain();
  const reason = 'The subscription of the amoCRM account has ended (402)';
  expect(await readHandOver(world, id)).toMatchObject({ crm_state: 'failed', crm_error: reason });
  expect(await admin.call(readIntegrationState, { params: { id: integration } })).toMatchObject({
    body: { refused: 1, refusal: reason },
  });
  const params = { id: await lead.dialogueId() };
  expect(await admin.call(retryHandOver, { params })).toMatchObject({ status: 200, body: { crm_state: 'pending' } });
  await world.drain();
  expect(await readHandOver(world, id)).toMatchObject({ crm_state: 'failed' });
  await world.control.setFaults([]);
  await admin.call(syncIntegration, { params: { id: integration } });
  await world.drain();
  await expectOneOfEach(id, card);
});

describe('a lead who asks for a person in two dialogues', () => {
  /** Create a lead with a card, who asks at the same time in WhatsApp and in Telegram. Hand-overs are in their order. */
  async function askInTwoDialogues(name: string) {
    const { lead, card } = await leadWithCard(name);
    const other = await world.lead(name, { messenger: 'telegram' });
    await world.pool.query('update contacts set lead_id = $2, is_main = false where id = $1', [
      other.contactId,
      lead.leadId,
    ]);
    await world.pool.query("update dialogues set owner = 'bot' where contact_id = $1", [lead.contactId]);
    await world.pool.query('update products set hand_over = true');
    await Promise.all([lead, other].map((one) => one.writes('Can I talk to a manager?')));
    await world.drain();
    const { rows } = await world.pool.query<{ id: number; dialogue: number }>(
      'select id::int, dialogue_id::int as dialogue from hand_overs where lead_id = $1 order by id',
      [lead.leadId],
    );
    return {
      card,
      dialogues: rows.map(({ dialogue }) => dialogue),
      handOvers: rows.map(({ id }) => id),
      leads: new Map([
        [await lead.dialogueId(), lead],
        [await other.dialogueId(), other],
      ]),
    };
  }

  /** Return which of the dialogues each text links to. */
  const about = (dialogues: readonly number[], texts: readonly string[]): number[] =>
    texts.map((text) => dialogues.findIndex((id) => text.includes(`dialogueId=${id}\n`)));
  const readBoth = (handOvers: readonly number[]) => Promise.all(handOvers.map((id) => readHandOver(world, id)));

  it('gets one task, and a note about each', async () => {
    const { card, dialogues, handOvers } = await askInTwoDialogues('Kira');
    const { notes, tasks } = await onCard(card);
    expect(about(dialogues, notes).toSorted((a, b) => a - b)).toEqual([0, 1]);
    expect(about(dialogues, tasks)).toEqual([0]);
    const [first, second] = await readBoth(handOvers);
    expect(second).toMatchObject({ crm_state: 'done', crm_task_id: first?.crm_task_id });
  });

  it('gets another task once people have seen to the first one', async () => {
    const { card, dialogues, leads } = await askInTwoDialogues('Lena');
    const [first = 0, second = 0] = dialogues;
    await admin.call(setOwner, { params: { id: second }, body: { owner: 'bot' } });
    await admin.call(markDone, { params: { id: first } });
    await leads.get(second)?.writes('I want to speak with a real person, please');
    await world.drain();
    const { tasks } = await onCard(card);
    expect(about(dialogues, tasks)).toEqual([0, 1]);
  });

  it('gets the task of the second if the first was refused, and no other when that is tried again', async () => {
    await world.control.setFaults([{ kind: 'amocrm.fail_before', status: 402, times: 1, match: TASKS }]);
    const { card, dialogues, handOvers } = await askInTwoDialogues('Maria');
    expect((await readBoth(handOvers)).map(({ crm_state: state }) => state)).toEqual(['failed', 'done']);
    // As if the answer to the second one's task had just been lost.
    await world.pool.query(
      "update hand_overs set crm_state = 'pending', crm_task_id = null, task_attempted_at = clock_timestamp() where id = $1",
      [handOvers[1]],
    );
    await admin.call(retryHandOver, { params: { id: dialogues[0] ?? 0 } });
    await world.drain();
    const [first, second] = await readBoth(handOvers);
    expect(first).toMatchObject({ crm_state: 'done', crm_task_id: second?.crm_task_id });
    expect((await onCard(card)).tasks).toHaveLength(1);
  });
});

it('is worked on once by those who claim it at the same time', async () => {
  const { lead, card } = await leadWithCard('Hugo');
  await world.control.setFaults([{ kind: 'amocrm.delay', ms: 300, match: NOTES }]);
  const id = await handOver(world, lead);
  await world.pool.query("update hand_overs set summary_state = 'off' where id = $1", [id]);
  await Promise.all([1, 2, 3].map(() => writeHandOver(appContext(), id)));
  await world.drain();
  await expectOneOfEach(id, card);
});

it('creates nothing more when its claim ended while the call hung and another instance took over', async () => {
  const { lead, card } = await leadWithCard('Inna');
  await world.control.setFaults([{ kind: 'amocrm.delay', ms: CALL_SECONDS * 800, times: 1, match: NOTES }]);
  const id = await handOver(world, lead);
  await world.pool.query("update hand_overs set summary_state = 'off' where id = $1", [id]);
  const attempted = async () => {
    const { rows } = await world.pool.query(
      'select 1 from hand_overs where id = $1 and note_attempted_at is not null',
      [id],
    );
    return rows.length > 0;
  };
  await world.waitUntil(attempted, 'the call');
  await world.pool.query('update hand_overs set claimed_by = null, claimed_until = null where id = $1', [id]);
  await world.drain();
  await expectOneOfEach(id, card);
});

it('makes no call when its claim ended before the call, and another instance took over', async () => {
  const { lead, card } = await leadWithCard('Jana');
  const read = { text: `GET /api/v4/leads/${card}` };
  await world.control.setFaults([{ kind: 'amocrm.delay', ms: 2500, times: 1, match: read }]);
  const id = await handOver(world, lead);
  await world.pool.query("update hand_overs set summary_state = 'off' where id = $1", [id]);
  const late = writeHandOver(appContext(), id);
  await world.waitUntil(async () => (await world.control.faults()).length === 0, 'the card is being read');
  await world.pool.query('update hand_overs set claimed_by = null, claimed_until = null where id = $1', [id]);
  await world.waitUntil(async () => (await readHandOver(world, id)).crm_state === 'done', 'note and task');
  await late;
  await world.drain();
  await expectOneOfEach(id, card);
});

function appContext() {
  if (!world.app) throw new Error('The world does not serve');
  return world.app.context;
}
