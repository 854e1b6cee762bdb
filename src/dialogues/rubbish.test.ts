/** Rubbish from a model, the whole way: it is said by a vendor, and nothing of it comes to a phone. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Fault } from '../sandbox/emulators/contract.ts';
import { expectInvariants } from '../testing/invariants.ts';
import { RUBBISH } from '../testing/rubbish.ts';
import { createWorld, type Person, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  // A failed answer is tried again after a second and more: once is enough here.
  world = await createWorld({ env: { RAPPORT_RETRY_BASE_SECONDS: '1' } });
});
afterAll(() => world.close());

const KINDS: readonly { name: string; fault: Fault; why: string }[] = [
  ...RUBBISH.map(([name, says, why]) => ({ name, fault: { kind: 'openai.says' as const, says }, why })),
  { name: 'a tool that does not exist', fault: { kind: 'openai.unknown_tool' }, why: 'broke off' },
  { name: 'whatever anybody tells it', fault: { kind: 'openai.hostile' }, why: 'control words' },
];

it('none of it reaches a lead, and every dialogue shows why it has no answer', async () => {
  const question = (index: number) => `Question ${index}, please: how long does delivery take?`;
  await world.control.setFaults(KINDS.map(({ fault }, index) => ({ ...fault, match: { text: `Question ${index},` } })));
  const people: Person[] = [];
  for (const { name } of KINDS) people.push(await world.lead(name));
  await Promise.all(people.map((one, index) => one.writes(question(index))));
  // Patience is long; here it is spent as soon as the first try has failed.
  await world.until(async () => {
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
    error: string | null;
    sent: number;
  }>(
    `select l.name, d.no_answer, (select r.error from llm_runs r where r.dialogue_id = d.id order by r.id limit 1) as error,
            (select count(*)::int from messages m where m.dialogue_id = d.id and m.side = 'bot') as sent
       from dialogues d join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id order by d.id`,
  );
  expect(rows).toEqual(
    KINDS.map(({ name, why }) => ({
      name,
      no_answer: expect.stringMatching(`^No answer: .*${why}`),
      error: expect.stringContaining(why),
      sent: 0,
    })),
  );
  for (const [index, person] of people.entries()) expect(await person.sees()).toEqual([`lead: ${question(index)}`]);
  expect(await world.control.entriesOf('reached')).toEqual([]);
  await expectInvariants(world);
});
