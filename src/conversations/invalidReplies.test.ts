/** Invalid model replies, end to end: a vendor returns them, and none of them reaches a phone. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Fault } from '../sandbox/emulators/contract.ts';
import { INVALID_REPLIES } from '../testing/invalidReplies.ts';
import { expectInvariants } from '../testing/invariants.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  // A failed reply is retried after a second or more: one try is enough here.
  world = await createWorld({ env: { RAPPORT_RETRY_BASE_SECONDS: '1' } });
});
afterAll(() => world.close());

const CASES: readonly { name: string; fault: Fault; expectedReason: string | null }[] = [
  ...INVALID_REPLIES.map(([name, reply, expectedReason]) => ({
    name,
    fault: { kind: 'openai.says' as const, says: reply },
    expectedReason,
  })),
  { name: 'a tool that does not exist', fault: { kind: 'openai.unknown_tool' }, expectedReason: 'broke off' },
  // It calls every tool, and so asks people whether the lead wants no more messages.
  { name: 'whatever anybody tells it', fault: { kind: 'openai.hostile' }, expectedReason: null },
];

it('sends no invalid reply to a lead, and shows why each dialogue has no answer', async () => {
  const question = (index: number) => `Question ${index}, please: how long does delivery take?`;
  await world.control.setFaults(CASES.map(({ fault }, index) => ({ ...fault, match: { text: `Question ${index},` } })));
  const leads: TestLead[] = [];
  for (const { name } of CASES) leads.push(await world.lead(name));
  await Promise.all(leads.map((lead, index) => lead.writes(question(index))));
  // The retry time is long; here it is over as soon as the first try has failed.
  await world.waitUntil(async () => {
    await world.pool.query(
      "update dialogues set turn_failed_at = now() - interval '16 minutes', turn_retry_at = null where turn_failed_at is not null",
    );
    const { rows } = await world.pool.query('select from dialogues where turn_due_at is not null or turn = 0');
    return rows.length === 0;
  }, 'every answer is given up or sent');
  await world.drain();

  const { rows } = await world.pool.query<{
    name: string;
    no_answer: string | null;
    no_answer_detail: string | null;
    error: string | null;
    sent: number;
  }>(
    `select l.name, d.no_answer, d.no_answer_detail, (select r.error from llm_runs r where r.dialogue_id = d.id order by r.id limit 1) as error,
            (select count(*)::int from messages m where m.dialogue_id = d.id and m.side = 'bot') as sent
       from dialogues d join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id order by d.id`,
  );
  expect(rows).toEqual(
    CASES.map(({ name, expectedReason }) => ({
      name,
      no_answer: expectedReason === null ? null : 'model',
      no_answer_detail: expectedReason === null ? null : expect.stringContaining(expectedReason),
      error: expectedReason === null ? null : expect.stringContaining(expectedReason),
      sent: 0,
    })),
  );
  for (const [index, lead] of leads.entries()) expect(await lead.sees()).toEqual([`lead: ${question(index)}`]);
  expect(await world.control.entriesOf('reached')).toEqual([]);
  await expectInvariants(world);
});
