/** Alerts: one for each wait, to those whom it is for, and withdrawn when it ends. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { operators } from '../../access/accountContract.ts';
import { logout } from '../../access/contract.ts';
import { setOwner } from '../../conversations/contract.ts';
import { rekey } from '../../platform/rekey.ts';
import { createSecretCipher } from '../../platform/secretCipher.ts';
import type { Client } from '../../testing/client.ts';
import { ALERTS_ON, type PushBrowser, subscribePushBrowser } from '../../testing/pushBrowser.ts';
import { createWorld, SECRET_KEY, type TestLead, type World } from '../../testing/world.ts';
import {
  changeAlertSettings,
  listAlerts,
  readAlertSettings,
  sendTestNotification,
  subscribeToPushes,
  unsubscribeFromPushes,
} from '../alertsContract.ts';
import { assignDialogue, markDone, snoozeDialogue } from '../contract.ts';
import { vapidKeys } from './vapid.ts';

let world: World;
let anna: Client;
let boris: Client;
beforeAll(async () => {
  world = await createWorld();
  anna = await world.operator('anna', [world.companyId]);
  boris = await world.operator('boris', [world.companyId]);
});
afterAll(() => world.close());
let phone: PushBrowser;
let otherPhone: PushBrowser;
beforeEach(async () => {
  phone = await subscribePushBrowser(world, anna);
  otherPhone = await subscribePushBrowser(world, boris);
});
afterEach(async () => {
  await world.control.setFaults([]);
  await world.pool.query("update dialogues set owner = 'bot', waiting_since = null");
  // In the order in which the sweep locks them: it may be at work.
  const client = await world.pool.connect();
  try {
    await client.query('begin');
    await client.query('select from attention_alerts order by id for update');
    for (const table of ['push_subscriptions', 'alert_pushes', 'attention_alerts', 'operator_alert_settings'])
      await client.query(`delete from ${table}`);
    await client.query('commit');
  } finally {
    client.release();
  }
});

/** A dialogue of nobody in particular in which a person is to answer; the lead has not written. */
async function humanLead(name: string): Promise<TestLead> {
  const lead = await world.lead(name);
  const params = { id: await lead.dialogueId() };
  await anna.call(setOwner, { params, body: { owner: 'human' } });
  await anna.call(assignDialogue, { params, body: { operator_id: null } });
  return lead;
}

async function waitingLead(name: string): Promise<TestLead> {
  const lead = await humanLead(name);
  await lead.writes('How long does delivery take?');
  return lead;
}

const received = (browser: PushBrowser, count: number): Promise<void> =>
  world.waitUntil(async () => (await browser.received()).length >= count, `${count} messages`);

const done = async (lead: TestLead): Promise<unknown> =>
  anna.call(markDone, { params: { id: await lead.dialogueId() } });

const operatorId = async (login: string): Promise<number> =>
  Number((await world.pool.query<{ id: string }>('select id from operators where login = $1', [login])).rows[0]?.id);

const assign = async (lead: TestLead, login: string | null): Promise<unknown> =>
  anna.call(assignDialogue, {
    params: { id: await lead.dialogueId() },
    body: { operator_id: login === null ? null : await operatorId(login) },
  });

/** Wait until nothing is left to send. */
const settled = (): Promise<void> =>
  world.waitUntil(async () => {
    const { rows } = await world.pool.query<{ open: boolean }>(
      `select exists (select from attention_alerts where planned_at is null)
           or exists (select from alert_pushes where claimed_by is not null
                         or (state in ('pending', 'withdrawing') and due_at <= domain_now())) as open`,
    );
    return rows[0]?.open === false;
  }, 'no push is due');

describe('an alert', () => {
  it('reaches each browser of those whom it is for once, and is withdrawn when somebody has seen to it', async () => {
    const lead = await waitingLead('Waiting');
    await received(phone, 1);
    await received(otherPhone, 1);
    // The wait goes on: that is no other alert.
    await lead.writes('And assembly?');
    await world.drain();
    await settled();
    const [push] = await phone.received();
    expect(push).toMatchObject({
      status: 201,
      message: {
        type: 'show',
        title: 'Waiting',
        body: 'Waiting for a reply',
        url: `/?page=inbox&dialogueId=${await lead.dialogueId()}`,
      },
    });
    expect(push?.topic).toBe(push?.message.tag);
    await done(lead);
    await received(phone, 2);
    await received(otherPhone, 2);
    await settled();
    for (const browser of [phone, otherPhone]) {
      const { open, displayed } = await browser.notifications();
      expect([open, displayed.length, (await browser.received()).length]).toEqual([[], 1, 2]);
    }
  });

  it.each([
    ['is snoozed', (id: number) => anna.call(snoozeDialogue, { params: { id }, body: { until_reply: true } })],
    ['goes back to the bot', (id: number) => anna.call(setOwner, { params: { id }, body: { owner: 'bot' } })],
    ['is deleted', (id: number) => world.pool.query('delete from dialogues where id = $1', [id])],
  ])('ends when its dialogue %s', async (_how, act) => {
    const lead = await waitingLead('Ending');
    await received(phone, 1);
    await act(await lead.dialogueId());
    await received(phone, 2);
    expect((await phone.notifications()).open).toEqual([]);
  });

  it('starts again when the lead waits again', async () => {
    const lead = await waitingLead('Again');
    await received(phone, 1);
    await done(lead);
    await received(phone, 2);
    await lead.writes('One more thing');
    await received(phone, 3);
    expect((await phone.notifications()).displayed).toHaveLength(2);
  });

  it('is withdrawn from others when it is assigned, and reaches its assignee', async () => {
    const lead = await humanLead('Assigned');
    await assign(lead, 'anna');
    await lead.writes('Hello?');
    await received(phone, 1);
    await assign(lead, 'boris');
    await received(phone, 2);
    await received(otherPhone, 1);
    await settled();
    expect([await phone.notifications(), await otherPhone.notifications()]).toMatchObject([
      { open: [] },
      { open: [expect.any(String)] },
    ]);
    expect((await anna.call(listAlerts)).body).toEqual({ items: [] });
    expect((await boris.call(listAlerts)).body).toMatchObject({ items: [{ lead_name: 'Assigned' }] });
  });

  it('shows the words of the lead only to whoever wants that', async () => {
    phone = await subscribePushBrowser(world, anna, { ...ALERTS_ON, message_text: true });
    await waitingLead('Words');
    await received(phone, 1);
    await received(otherPhone, 1);
    expect((await phone.received())[0]?.message).toMatchObject({
      body: 'Waiting for a reply\nHow long does delivery take?',
    });
    expect((await otherPhone.received())[0]?.message).toMatchObject({ body: 'Waiting for a reply' });
  });

  it('is pushed to nobody who turned notifications off, cannot see the product or has signed out', async () => {
    await anna.call(changeAlertSettings, { body: { ...ALERTS_ON, notifications: false } });
    const stranger = await world.operator('stranger', []);
    const foreignPhone = await subscribePushBrowser(world, stranger);
    const carl = await world.operator('carl', [world.companyId]);
    const carlsPhone = await subscribePushBrowser(world, carl);
    await carl.call(logout);
    await waitingLead('Private');
    await received(otherPhone, 1);
    await settled();
    for (const browser of [phone, foreignPhone, carlsPhone]) expect(await browser.received()).toEqual([]);
    expect((await stranger.call(listAlerts)).body).toEqual({ items: [] });
  });

  it('is pushed to no session that has expired, nor to an operator who lost access since it was planned', async () => {
    const login = `dora${Date.now()}`;
    const dora = await world.operator(login, [world.companyId]);
    const dorasPhone = await subscribePushBrowser(world, dora);
    // The first attempt fails; meanwhile they lose access, or the session expires.
    await world.control.setFaults([{ kind: 'push.rate_limited', retryAfterSeconds: 2 }]);
    await waitingLead('Late');
    await received(phone, 1);
    await received(dorasPhone, 1);
    await world.pool.query('delete from operator_companies where operator_id = $1', [await operatorId(login)]);
    await world.pool.query("update sessions set last_seen_at = now() - interval '1 day' where operator_id = $1", [
      await operatorId('anna'),
    ]);
    await world.control.setFaults([]);
    await received(otherPhone, 2);
    await settled();
    for (const browser of [phone, dorasPhone])
      expect(
        (await browser.received()).filter(({ message, status }) => message.type === 'show' && status === 201),
      ).toEqual([]);
    await world.pool.query('update sessions set last_seen_at = now()');
  });

  it('waits for the end of quiet hours, if the lead still waits then', async () => {
    const { rows } = await world.pool.query<{ from: string; to: string }>(
      `select to_char(domain_now() at time zone 'Asia/Tokyo' - interval '1 hour', 'HH24:MI') as from,
              to_char(domain_now() at time zone 'Asia/Tokyo' + interval '1 hour', 'HH24:MI') as to`,
    );
    const [hours] = rows;
    const quiet = { from: hours?.from ?? '', to: hours?.to ?? '', timezone: 'Asia/Tokyo' };
    phone = await subscribePushBrowser(world, anna, { ...ALERTS_ON, quiet_hours: quiet });
    const lead = await waitingLead('Night');
    const answered = await waitingLead('Answered at night');
    await received(otherPhone, 2);
    await settled();
    expect(await phone.received()).toEqual([]);
    await done(answered);
    await received(otherPhone, 3);
    await world.pool.query("update installation set clock_offset = interval '2 hours'");
    await received(phone, 1);
    await settled();
    expect((await phone.received()).map(({ message }) => message)).toEqual([
      expect.objectContaining({ type: 'show', title: lead.name }),
    ]);
    await world.pool.query("update installation set clock_offset = interval '0'");
  });
});

describe('a push', () => {
  it('is planned in the order in which a browser that signs out is forgotten, so that neither fails', async () => {
    const lead = await waitingLead('Planned');
    await received(phone, 1);
    await received(otherPhone, 1);
    await settled();
    const signingOut = await world.pool.connect();
    await signingOut.query('begin');
    await signingOut.query('select from push_subscriptions for update');
    await done(lead);
    const isPlanWaiting = async () =>
      (
        await world.pool.query(
          "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%key share'",
        )
      ).rows.length > 0;
    await world.waitUntil(isPlanWaiting, 'the plan waits for the subscriptions');
    const { rowCount } = await signingOut.query('select from alert_pushes for update skip locked');
    expect(rowCount).toBe(2);
    await signingOut.query('commit');
    signingOut.release();
    await received(phone, 2);
    await received(otherPhone, 2);
  });

  it('is left to the instance that has claimed it', async () => {
    await world.pool.query(
      "insert into nodes (instance_id, name, roles, pid, heartbeat_at) values (gen_random_uuid(), 'another', '{worker}', 1, clock_timestamp() + interval '1 hour')",
    );
    await world.control.setFaults([
      { kind: 'push.rate_limited', times: 1, retryAfterSeconds: 1, match: { account: phone.id } },
    ]);
    await waitingLead('Claimed');
    await received(phone, 1);
    await world.waitUntil(async () => {
      const { rowCount } = await world.pool.query(
        `update alert_pushes set claimed_by = (select instance_id from nodes where name = 'another'),
                claimed_until = clock_timestamp() + interval '1 hour', retry_at = null
          where claimed_by is null and state = 'pending' and attempts = 1`,
      );
      return rowCount === 1;
    }, 'another instance has claimed it');
    // The sweep runs for another lead meanwhile.
    await waitingLead('Other');
    await received(phone, 2);
    await received(otherPhone, 2);
    expect((await phone.received()).map(({ message }) => ('title' in message ? message.title : ''))).toEqual([
      'Claimed',
      'Other',
    ]);
    await world.pool.query("delete from nodes where name = 'another'");
  });
});

describe('a push service', () => {
  it.each([{ kind: 'push.rate_limited', times: 2 } as const, { kind: 'push.fail_before', times: 2 } as const])(
    'that refuses for a while ($kind) takes it later',
    async (fault) => {
      await world.control.setFaults([{ ...fault, match: { account: phone.id } }]);
      await waitingLead('Retried');
      await received(phone, 3);
      await settled();
      expect((await phone.received()).map(({ status }) => status).slice(2)).toEqual([201]);
    },
  );

  it('whose answer is lost gets the same message again, which replaces the first', async () => {
    await world.control.setFaults([{ kind: 'push.lose_answer', times: 1, match: { account: phone.id } }]);
    await waitingLead('Lost');
    await received(phone, 2);
    await settled();
    expect((await phone.notifications()).displayed).toHaveLength(1);
  });

  it.each([404, 410])('that answers %i is not called again for this browser', async (status) => {
    await world.control.setFaults([{ kind: 'push.gone', status, match: { account: phone.id } }]);
    await waitingLead('Gone');
    await received(phone, 1);
    await world.waitUntil(async () => {
      const { body } = await anna.call(readAlertSettings);
      return !(body as { is_subscribed: boolean }).is_subscribed;
    }, 'the subscription is gone');
    await waitingLead('Gone again');
    await received(otherPhone, 2);
    await settled();
    expect(await phone.received()).toHaveLength(1);
  });
});

describe('a subscription', () => {
  it('is tested, and ends when the operator turns it off', async () => {
    expect((await anna.call(sendTestNotification)).status).toBe(204);
    expect((await phone.received()).map(({ message }) => message.tag)).toEqual(['alert-test']);
    expect((await anna.call(unsubscribeFromPushes)).status).toBe(204);
    expect(await anna.call(sendTestNotification)).toMatchObject({
      status: 409,
      body: { detail: 'This browser does not receive notifications yet.' },
    });
  });

  it('ends when its operator is disabled', async () => {
    const admin = await world.operator();
    const erik = await world.operator('erik', [world.companyId]);
    await subscribePushBrowser(world, erik);
    const id = await operatorId('erik');
    const body = { role: 'member' as const, company_ids: [world.companyId], is_active: false };
    expect((await admin.call(operators.replace, { params: { id }, body })).status).toBe(200);
    const { rows } = await world.pool.query('select 1 from push_subscriptions where operator_id = $1', [id]);
    expect(rows).toEqual([]);
  });

  it('moves to the session that uses its browser', async () => {
    await boris.call(subscribeToPushes, { body: phone.subscription });
    expect((await anna.call(readAlertSettings)).body).toMatchObject({ is_subscribed: false });
    await waitingLead('Moved');
    await received(phone, 1);
    await settled();
    expect([(await phone.received()).length, await otherPhone.received()]).toEqual([1, []]);
  });

  it.each(['https://push.example/abc', 'https://fcm.googleapis.com/fcm/send/abc', 'http://10.0.0.1/push'])(
    'is refused for what is no push service of a sandbox: %s',
    async (endpoint) => {
      const { status, body } = await anna.call(subscribeToPushes, { body: { ...phone.subscription, endpoint } });
      expect([status, body]).toEqual([409, { detail: `${new URL(endpoint).host} is not a known push service.` }]);
    },
  );

  it('and the key of the installation are readable after the secret key was changed', async () => {
    const context = world.app?.context;
    if (!context) throw new Error('No server');
    const before = await vapidKeys(context);
    const next = createSecretCipher('the next key of at least thirty-two characters', { others: [SECRET_KEY] });
    expect((await rekey(world.pool, next)).unreadable).toEqual([]);
    expect(await vapidKeys({ reader: context.reader, cipher: next })).toEqual(before);
    const back = createSecretCipher(SECRET_KEY, { others: ['the next key of at least thirty-two characters'] });
    expect((await rekey(world.pool, back)).unreadable).toEqual([]);
    expect((await anna.call(sendTestNotification)).status).toBe(204);
  });
});
