/** Long plans do not delay other requests. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { createOutreachWorld, type OutreachWorld } from '../testing/outreachWorld.ts';
import { readConsequences, readRehearsal } from './rehearsalContract.ts';
import { rehearsalThreadKind } from './rehearsalThreadKind.ts';

const LEADS = 600;
const STEPS = 50;

let world: OutreachWorld;
let member: Client;
beforeAll(async () => {
  // By default fewer requests of a company run at once than its queue of plans takes.
  world = await createOutreachWorld({ env: { RAPPORT_ROLES: 'web', RAPPORT_DATABASE_CONNECTIONS: '16' } });
  member = await world.operator('mary', [world.companyId]);
});
afterAll(() => world.close());

it('answers others while five large plans of one company are computed', async () => {
  await world.pool.query(
    `with made as (
       insert into leads (product_id, name, stage) select $1, 'Lead ' || n, 'started' from generate_series(1, ${LEADS}) n returning id
     ), reached as (
       insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
       select id, $1, (79161000000 + id)::text, 'whatsapp', (79161000000 + id)::text, true from made returning id, address
     ), begun as (
       insert into dialogues (product_id, contact_id, channel_id, chat_id, address)
       select $1, id, $2, address, address from reached returning id, contact_id
     )
     insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, sent_at)
     select $1, contact_id, id, $2, 'Hello', 'bot', 'bot', 'sent', domain_now() from begun`,
    [world.productId, world.whatsapp.id],
  );
  const prepared = await world.addPreparedMessage('Still there?');
  const steps = Array.from({ length: STEPS }, (_none, index) => ({
    step_number: index + 1,
    after_minutes: 60,
    prepared_message_id: prepared,
    prompt_id: null,
    document_type: null,
  }));
  const threads = world.app?.context.threads;
  let answered = 0;
  const heavy = Array.from({ length: 5 }, async () => {
    const answer = await member.call(readConsequences, {
      body: {
        product_id: world.productId,
        days: 92,
        proposal: { pings: { is_enabled: true, config: { use_on_no_init_msg_reply: true, steps } } },
      },
    });
    answered += 1;
    return answer;
  });
  await world.waitUntil(() => threads?.running(rehearsalThreadKind) === 1, 'a plan is worked out');
  expect((await fetch(`${world.url}/healthz`)).status).toBe(200);
  expect((await member.fetch('/v1/leads/?limit=10')).status).toBe(200);
  // One plan of a company runs at a time, and none had finished before the other requests were answered.
  expect([answered, threads?.running(rehearsalThreadKind)]).toEqual([0, 1]);
  const answers = await Promise.all(heavy);
  const computed = answers.filter(({ status }) => status === 200);
  expect(computed.length).toBeGreaterThan(0);
  for (const { body } of computed) expect(readConsequences.replies[200].parse(body).after).toBe(LEADS * STEPS);
  // On a slow machine the last ones would wait for too long.
  const busy = expect.stringContaining('Other rehearsals of this company are still being worked out.');
  for (const refused of answers.filter(({ status }) => status !== 200))
    expect(refused).toMatchObject({ status: 503, body: { detail: busy } });
});

it("refuses plans beyond a company's queue, and accepts them later", async () => {
  const requests = Array.from({ length: 12 }, () =>
    member.call(readRehearsal, { query: { product_id: world.productId, days: 1 } }),
  );
  const answers = await Promise.all(requests);
  const refused = answers.filter((one) => one.status === 503);
  expect(refused.length).toBeGreaterThan(0);
  for (const one of refused) expect(one.headers.get('retry-after')).toBe('2');
  expect(answers.filter((one) => one.status === 200).length + refused.length).toBe(12);
  expect(await member.call(readRehearsal, { query: { product_id: world.productId } })).toMatchObject({ status: 200 });
});
