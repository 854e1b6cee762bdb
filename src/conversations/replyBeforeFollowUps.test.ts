/** Follow-ups that models write share their models with answers, which leads wait for. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readJobQueues } from '../jobs/contract.ts';
import { createOutreachWorld, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';

const FOLLOW_UPS = 30;
let world: OutreachWorld;
beforeAll(async () => {
  world = await createOutreachWorld({ env: { RAPPORT_CONCURRENCY: '2' } });
});
afterAll(() => world.close());

it('answers a lead before the follow-ups that wait for the same model, two calls at once', async () => {
  const admin = await world.operator('root');
  const queues = async () => readJobQueues.replies[200].parse((await admin.call(readJobQueues, {})).body).lanes;
  const ofModel = async () => (await queues()).find(({ name }) => name.startsWith('model '));
  const asks = await world.lead('Asks');
  for (let index = 0; index < FOLLOW_UPS; index++) {
    const { contactId } = await world.lead(`Silent ${index}`);
    await world.pool.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status, sent_at, thread_at)
       select product_id, contact_id, id, channel_id, 'Good day', 'bot', 'operator', 'olga', 'read', at, at
         from dialogues, (select domain_now() - make_interval(secs => $2) as at) as sent where contact_id = $1`,
      [contactId, 3 * HOUR],
    );
  }
  await world.pool.query('update dialogues set created_at = created_at - make_interval(secs => $1)', [3 * HOUR]);
  await world.control.setFaults([{ kind: 'openai.slow', ms: 50 }]);
  await world.setFollowUps([
    { after_minutes: 60, prompt_id: await world.addPrompt('Ask whether there are questions.') },
  ]);
  await world.waitUntil(async () => ((await ofModel())?.waiting ?? 0) >= FOLLOW_UPS / 2, 'follow-ups wait');
  const seen: number[] = [];
  await asks.writes('What does a kitchen cost?');
  await world.waitUntil(async () => {
    seen.push((await ofModel())?.running ?? 0);
    return (await asks.sees()).some((text) => text.startsWith('us: '));
  }, 'the answer');
  expect((await ofModel())?.waiting ?? 0).toBeGreaterThan(0);
  expect(Math.max(...seen)).toBe(2);
  await world.control.setFaults([]);
  await world.drain();
  const { rows } = await world.pool.query("select count(*)::int as count from messages where origin = 'ping'");
  expect(rows).toEqual([{ count: FOLLOW_UPS }]);
});
