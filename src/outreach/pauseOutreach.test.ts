/** What a paused product sends, and how outreach continues. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { pauseOutreach, product, products, resumeOutreach } from '../products/contract.ts';
import type { Client } from '../testing/client.ts';
import { createOutreachWorld, DAY, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import { readLeadOutreach, readRehearsal } from './rehearsalContract.ts';

let world: OutreachWorld;
let admin: Client;
const of = () => ({ params: { id: world.productId } });
beforeAll(async () => {
  world = await createOutreachWorld();
  admin = await world.operator('root');
});
afterAll(() => world.close());
beforeEach(async () => {
  await admin.call(resumeOutreach, of());
  await world.reset();
});

const MINUTE = 60;
const followUp = async (text: string, minutes = 60) => ({
  after_minutes: minutes,
  prepared_message_id: await world.addPreparedMessage(text),
});

it('sends no first messages and no follow-ups while paused, and the bot replies', async () => {
  await world.setFirstMessages({ initial_message_send_at: '08:00' });
  await world.setFollowUps([await followUp('Still there?')]);
  await world.advanceClockTo('07:59');
  const [anna, boris] = [await world.createLead('Anna'), await world.createLead('Boris')];
  await world.advanceClock(2 * MINUTE);
  expect(await boris.sees()).toEqual(['us: Good day!']);

  expect((await admin.call(pauseOutreach, of())).status).toBe(200);
  const clara = await world.createLead('Clara');
  await anna.writes('How much is a kitchen?');
  await world.advanceClock(DAY);
  expect(await boris.sees()).toEqual(['us: Good day!']);
  expect(await clara.sees()).toEqual([]);
  const replied = await anna.sees();
  expect(replied.at(-1)).toMatch(/^us: /);
  expect(replied).not.toContain('us: Still there?');
  expect([await world.reasonOf(boris.leadId), await world.reasonOf(clara.leadId)]).toEqual(['paused', 'paused']);
  const next = await admin.call(readLeadOutreach, { params: { lead_id: clara.leadId } });
  expect(next.body).toMatchObject({ state: 'paused', next: null, why: { code: 'paused' } });
  const rehearsal = await admin.call(readRehearsal, { query: { product_id: world.productId } });
  expect(rehearsal.body).toMatchObject({ total: 0, silent: [{ why: { code: 'paused' }, leads: 3 }] });

  expect((await admin.call(resumeOutreach, of())).status).toBe(200);
  await world.drain();
  expect(await boris.sees()).toEqual(['us: Good day!', 'us: Still there?']);
  expect((await anna.sees()).at(-1)).toBe('us: Still there?');
  await world.advanceClock(DAY);
  expect((await clara.sees())[0]).toBe('us: Good day!');
});

it('keeps the interval and the daily limit when it resumes', async () => {
  await world.setFirstMessages({ add_interval_seconds: 600, whatsapp_daily_limit: 3 });
  await admin.call(pauseOutreach, of());
  await world.advanceClockTo('09:00');
  for (const name of ['A', 'B', 'C', 'D']) await world.createLead(name);
  await world.advanceClockTo('11:00');
  expect(await world.sentMessages()).toEqual([]);
  await admin.call(resumeOutreach, of());
  await world.drain();
  expect((await world.sentMessages()).map((one) => one.lead)).toEqual(['A']);
  await world.advanceClock(2 * HOUR);
  const sent = (await world.sentMessages()).map((one) => Date.parse(one.at) / 1000);
  expect(sent).toHaveLength(3);
  for (const [index, at] of sent.slice(1).entries()) expect(at - (sent[index] ?? 0)).toBeGreaterThanOrEqual(600);
});

it('keeps follow-ups and first messages back that wait to be sent', async () => {
  await world.setFirstMessages({ initial_message_send_at: '08:00' });
  await world.setFollowUps([await followUp('Still there?')]);
  await world.advanceClockTo('07:59');
  const anna = await world.createLead('Anna');
  const boris = await world.createLead('Boris');
  await world.advanceClock(2 * MINUTE);
  await world.pool.query("update channels set paused_until = 'infinity'");
  await world.advanceClock(HOUR);
  // As after a temporary refusal of the vendor.
  await world.pool.query(
    `update messages set status = 'scheduled', sent_at = null, send_key = gen_random_uuid(), send_key_used_at = null
      where origin = 'first' and contact_id = $1`,
    [boris.contactId],
  );
  await admin.call(pauseOutreach, of());
  await world.pool.query('update channels set paused_until = null');
  await world.drain();
  expect(await anna.sees()).toEqual(['us: Good day!']);
  const { rows } = await world.pool.query(
    `select distinct origin, reason from messages where status = 'scheduled' order by origin`,
  );
  expect(rows).toEqual([
    { origin: 'first', reason: 'Outreach is paused' },
    { origin: 'ping', reason: 'Outreach is paused' },
  ]);
  await admin.call(resumeOutreach, of());
  await world.drain();
  expect(await anna.sees()).toEqual(['us: Good day!', 'us: Still there?']);
});

it('is paused and resumed once, with an entry in the audit log, and a PUT leaves it as it is', async () => {
  const member = await world.operator('mia', [world.companyId]);
  const pause = () => member.call(pauseOutreach, of());
  const first = product.parse((await pause()).body);
  expect(first).toMatchObject({ outreach_paused_by: 'mia', outreach_paused_at: expect.any(String) });
  expect((await admin.call(pauseOutreach, of())).body).toEqual(first);
  const body = { ...first, name: 'Renamed', outreach_paused_at: null };
  const { id: _, created_at: __, version: ___, ...fields } = body;
  expect((await admin.call(products.replace, { ...of(), body: fields })).body).toMatchObject({
    name: 'Renamed',
    outreach_paused_by: 'mia',
  });
  for (const _again of [1, 2])
    expect((await admin.call(resumeOutreach, of())).body).toMatchObject({
      outreach_paused_at: null,
      outreach_paused_by: null,
    });
  const { rows } = await world.pool.query(
    `select action, operator from audit where noun = 'product' and row_id = $1 and action like 'outreach %' order by id desc limit 2`,
    [world.productId],
  );
  expect(rows).toEqual([
    { action: 'outreach resumed', operator: 'root' },
    { action: 'outreach paused', operator: 'mia' },
  ]);
});
