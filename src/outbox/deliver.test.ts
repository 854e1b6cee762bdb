import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { channels } from '../channels/contract.ts';
import { registerHook } from '../channels/hookContract.ts';
import { editMessage, markSent, retryMessage } from '../conversations/contract.ts';
import type { Fault } from '../sandbox/emulators/contract.ts';
import type { Client } from '../testing/client.ts';
import { expectInvariants } from '../testing/invariants.ts';
import { dialogueOf, messagesOf } from '../testing/messageRows.ts';
import { createWorld, type TestLead, WAZZUP_KEY, type World } from '../testing/world.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_SEND_TIMEOUT_SECONDS: '0.5' } });
  admin = await world.operator();
});
afterEach(async () => {
  await world.control.setFaults([]);
});
afterAll(() => world.close());

/** Queue an operator's messages, due now by default; returns their ids. */
async function outgoing(
  lead: TestLead,
  texts: readonly string[],
  due = "now() - interval '1 second'",
): Promise<number[]> {
  const ids: number[] = [];
  for (const text of texts) {
    const { rows } = await world.pool.query<{ id: number }>(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status, scheduled_at)
       select product_id, contact_id, id, channel_id, $2, 'bot', 'operator', 'olga', 'scheduled', ${due}
         from dialogues where contact_id = $1 returning id::int`,
      [lead.contactId, text],
    );
    ids.push(rows[0]?.id ?? 0);
  }
  return ids;
}

const countLockWaits = async () =>
  (
    await world.pool.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  ).rowCount ?? 0;

/** Send one message with a fault injected, and wait until it is settled. */
async function send(name: string, fault: Fault): Promise<TestLead> {
  const lead = await world.lead(name);
  await world.control.setFaults([fault]);
  await outgoing(lead, ['Good morning']);
  await world.drain();
  return lead;
}

describe('a vendor with an unclear answer: one message arrives and counts as sent', () => {
  const faults: [string, Fault][] = [
    ['answer lost after accepting', { kind: 'wazzup24.lose_answer', times: 1 }],
    ['5xx before accepting', { kind: 'wazzup24.fail_before', times: 1, status: 502 }],
    ['5xx after accepting', { kind: 'wazzup24.fail_after', times: 1, status: 500 }],
    ['5xx after accepting, then before', { kind: 'wazzup24.fail_after', times: 2 }],
    ['an unreadable answer after accepting', { kind: 'wazzup24.rubbish', after: true, times: 1 }],
    ['an unreadable answer without accepting', { kind: 'wazzup24.rubbish', times: 1 }],
    ['silence after accepting', { kind: 'wazzup24.hang', after: true, times: 1 }],
    ['silence without accepting', { kind: 'wazzup24.hang', times: 1 }],
    ['a late answer', { kind: 'wazzup24.delay', ms: 400, after: true, times: 1 }],
    ['acceptance after we gave up waiting', { kind: 'wazzup24.delay', ms: 650, times: 1 }],
    ['429', { kind: 'wazzup24.rate_limited', times: 2 }],
    ['a refusal that may pass', { kind: 'wazzup24.refuse', code: 'UNKNOWN_ERROR', times: 2 }],
  ];
  it.each(faults)('%s', async (name, fault) => {
    const lead = await send(name, fault);
    expect(await lead.sees()).toEqual(['us: Good morning']);
    expect(await messagesOf(world, lead)).toMatchObject([{ status: 'read', reason: null, error_code: null }]);
    await expectInvariants(world);
  });
});

it('repeats an uncertain send after 429 until the vendor reports its status', async () => {
  const lead = await world.lead('Twice asked');
  // Without echoes, only the retry reveals the outcome.
  await world.control.changeSettings({ echo: 'off' });
  await world.control.setFaults([{ kind: 'wazzup24.hang', after: true, times: 1 }]);
  await outgoing(lead, ['Good morning']);
  await world.waitUntil(async () => (await lead.sees()).length === 1, 'it is on the phone');
  await world.control.setFaults([{ kind: 'wazzup24.rate_limited', times: 2 }]);
  await world.drain();
  expect(await lead.sees()).toEqual(['us: Good morning']);
  // Claimed once: a rejection would have requeued it and given its quota back.
  const { rows } = await world.pool.query('select status, attempts from messages where contact_id = $1', [
    lead.contactId,
  ]);
  expect(rows).toEqual([{ status: 'sent', attempts: 1 }]);
  await expectInvariants(world);
  await world.control.changeSettings({ echo: 'echo' });
});

it('waits for Retry-After after 429', async () => {
  const after = (await world.control.journal(0, 1)).last;
  const lead = await send('Anna', { kind: 'wazzup24.rate_limited', retryAfterSeconds: 1, times: 1 });
  const entries = await world.control.entries(after);
  const refused = entries.find((one) => one.kind === 'refused');
  const reached = entries.find((one) => one.kind === 'reached');
  expect((reached?.real ?? 0) - (refused?.real ?? 0)).toBeGreaterThanOrEqual(950);
  expect(await messagesOf(world, lead)).toMatchObject([{ status: 'read', retry_count: 1 }]);
});

it('fails a message refused five times with the reason, and lets an operator retry', async () => {
  const lead = await send('Boris', {
    kind: 'wazzup24.refuse',
    code: 'MESSAGES_CAN_NOT_ADD',
    description: 'Try later',
  });
  const [failed] = await messagesOf(world, lead);
  expect(failed).toMatchObject({
    status: 'error',
    error_code: 'MESSAGES_CAN_NOT_ADD',
    reason: 'Try later',
    retry_count: 4,
  });
  const refused = (await world.control.entriesOf('refused')).filter((one) => one.crmMessageId === failed?.send_key);
  expect(refused).toHaveLength(5);
  await world.control.setFaults([]);
  expect((await admin.call(retryMessage, { params: { id: failed?.id ?? 0 } })).status).toBe(200);
  await world.drain();
  expect(await messagesOf(world, lead)).toMatchObject([{ status: 'read', reason: null, retry_count: 5 }]);
  expect(await lead.sees()).toEqual(['us: Good morning']);
});

describe('a final refusal', () => {
  it.each(['BAD_CONTACT', 'MESSAGES_IS_SPAM', 'MESSAGE_TEXT_TOO_LONG', 'SOMETHING_NEW'])('%s', async (code) => {
    const lead = await world.lead(code);
    await world.control.setFaults([{ kind: 'wazzup24.refuse', code, times: 1, match: { text: 'first' } }]);
    await outgoing(lead, ['first', 'second']);
    await world.drain();
    expect(await messagesOf(world, lead)).toMatchObject([
      { status: 'error', error_code: code, retry_count: 0 },
      { status: 'read' },
    ]);
    expect(await lead.sees()).toEqual(['us: second']);
    await expectInvariants(world);
  });
});

describe('a refusal of the channel', () => {
  it('pauses the channel with the reason on the message, and no other channel', async () => {
    const clara = await world.lead('Clara');
    const dora = await world.lead('Dora', { messenger: 'telegram' });
    await world.control.setFaults([
      { kind: 'wazzup24.refuse', code: 'CHANNEL_BLOCKED', description: 'Blocked', times: 1 },
    ]);
    await outgoing(clara, ['One', 'Two']);
    await world.waitUntil(
      async () => (await messagesOf(world, clara))[0]?.error_code === 'CHANNEL_BLOCKED',
      'it is refused',
    );
    await outgoing(dora, ['Three']);
    await world.drain();
    expect(await dora.sees()).toEqual(['us: Three']);
    expect(await messagesOf(world, clara)).toMatchObject([
      { status: 'scheduled', reason: 'Blocked', retry_count: 0 },
      { status: 'scheduled' },
    ]);
    const { rows } = await world.pool.query(
      "select paused_until > clock_timestamp() + interval '4 minutes' as rests, pause_reason from channels where id = $1",
      [world.whatsapp.id],
    );
    expect(rows).toEqual([{ rests: true, pause_reason: 'Blocked' }]);
    await world.pool.query('update channels set paused_until = clock_timestamp() where id = $1', [world.whatsapp.id]);
    await world.drain();
    expect(await clara.sees()).toEqual(['us: One', 'us: Two']);
    await expectInvariants(world);
  });

  it('waits while the channel is switched off', async () => {
    const elena = await world.lead('Elena');
    await world.pool.query('update channels set is_active = false where id = $1', [world.whatsapp.id]);
    const fedor = await world.lead('Fedor', { messenger: 'telegram' });
    await outgoing(elena, ['One']);
    await outgoing(fedor, ['Two']);
    await world.drain();
    expect(await fedor.sees()).toEqual(['us: Two']);
    expect(await elena.sees()).toEqual([]);
    await world.pool.query('update channels set is_active = true where id = $1', [world.whatsapp.id]);
    await world.drain();
    expect(await elena.sees()).toEqual(['us: One']);
  });

  it('is noted on a message that waits for a retry only when that is due', async () => {
    const greta = await world.lead('Greta');
    await world.pool.query('update channels set is_active = false where id = $1', [world.whatsapp.id]);
    const [first] = await outgoing(greta, ['One'], "now() + interval '1 hour'");
    await world.pool.query(
      `update messages set reason = 'Too many requests', retry_at = now() + interval '1 hour', scheduled_at = now() - interval '1 second'
        where id = $1`,
      [first],
    );
    await outgoing(greta, ['Two']);
    await world.waitUntil(async () => (await messagesOf(world, greta))[1]?.reason !== null, 'the other is noted');
    const reasons = async () => (await messagesOf(world, greta)).map(({ reason }) => reason);
    expect(await reasons()).toEqual(['Too many requests', 'The channel is switched off']);
    await world.pool.query('update messages set retry_at = now() where id = $1', [first]);
    await world.waitUntil(async () => (await reasons())[0] === 'The channel is switched off', 'it is noted as well');
    await world.pool.query('update channels set is_active = true where id = $1', [world.whatsapp.id]);
    await world.drain();
    expect(await greta.sees()).toEqual(['us: One', 'us: Two']);
  });
});

describe('order in a dialogue', () => {
  it('follows the due times, also behind a slow send', async () => {
    const ivan = await world.lead('Ivan');
    await world.control.setFaults([{ kind: 'wazzup24.delay', ms: 300, times: 1 }]);
    const texts = Array.from({ length: 6 }, (_, index) => `Number ${index}`);
    await outgoing(ivan, texts);
    await world.drain();
    expect(await ivan.sees()).toEqual(texts.map((text) => `us: ${text}`));
    await expectInvariants(world);
  });

  it('is kept while a message waits for its next attempt', async () => {
    const julia = await world.lead('Julia');
    await world.control.setFaults([{ kind: 'wazzup24.rate_limited', times: 2, retryAfterSeconds: 0.2 }]);
    await outgoing(julia, ['One', 'Two', 'Three']);
    await world.drain();
    expect(await julia.sees()).toEqual(['us: One', 'us: Two', 'us: Three']);
  });

  it('takes no place from other leads while dialogues wait for their next attempt', async () => {
    const waiting = await Promise.all(Array.from({ length: 16 }, (_, index) => world.lead(`Waits ${index}`)));
    for (const lead of waiting) {
      const [first] = await outgoing(lead, ['One', 'Two'], "now() + interval '1 hour'");
      await world.pool.query("update messages set retry_at = clock_timestamp() + interval '1 hour' where id = $1", [
        first,
      ]);
    }
    await world.pool.query(
      "update messages set scheduled_at = now() - interval '10 minutes' where contact_id = any($1)",
      [waiting.map(({ contactId }) => contactId)],
    );
    const nora = await world.lead('Nora');
    await outgoing(nora, ['Good morning']);
    await world.waitUntil(async () => (await nora.sees()).length === 1, 'the other one is sent');
    for (const lead of waiting) expect(await lead.sees()).toEqual([]);
    await world.pool.query("update messages set status = 'cancelled', retry_at = null where status = 'scheduled'");
  });

  it('is not blocked by a message that is not due', async () => {
    const kira = await world.lead('Kira');
    const [later] = await outgoing(kira, ['Tomorrow'], "now() + interval '1 day'");
    await outgoing(kira, ['Today']);
    await world.drain();
    expect(await kira.sees()).toEqual(['us: Today']);
    await world.pool.query('update messages set scheduled_at = now() where id = $1', [later]);
    await world.drain();
    expect(await kira.sees()).toEqual(['us: Today', 'us: Tomorrow']);
  });

  it('is blocked for two minutes behind an unconfirmed message', async () => {
    const [lev, mira] = [await world.lead('Lev'), await world.lead('Mira')];
    const [maybeDelivered] = await outgoing(lev, ['Doubtful', 'Behind'], "now() + interval '1 hour'");
    await world.pool.query(
      "update messages set status = 'unconfirmed', unconfirmed_at = clock_timestamp() - interval '110 seconds' where id = $1",
      [maybeDelivered],
    );
    await world.pool.query("update messages set scheduled_at = now() - interval '1 second' where contact_id = $1", [
      lev.contactId,
    ]);
    // Another dialogue's message goes out meanwhile, which proves that the outbox has run.
    await outgoing(mira, ['Elsewhere']);
    await world.waitUntil(async () => (await mira.sees()).length === 1, 'the other one is sent');
    expect(await lev.sees()).toEqual([]);
    await world.pool.query(
      "update messages set unconfirmed_at = unconfirmed_at - interval '11 seconds' where id = $1",
      [maybeDelivered],
    );
    await world.drain();
    expect(await lev.sees()).toEqual(['us: Behind']);
  });
});

describe('an unconfirmed message', () => {
  /** Send a message that is read, then reset it as if the response and all reports had been lost `age` ago. */
  async function forgotten(name: string, age: string): Promise<{ lead: TestLead; id: number }> {
    const lead = await world.lead(name);
    const [id = 0] = await outgoing(lead, ['Good morning']);
    await world.drain();
    await world.pool.query(
      `update messages set status = 'unconfirmed', ext_id = null, unconfirmed_at = clock_timestamp(),
              send_key_used_at = clock_timestamp() - $2::interval where id = $1`,
      [id, age],
    );
    return { lead, id };
  }

  it("is resent under the same key within the vendor's window, and arrives once", async () => {
    const { lead, id } = await forgotten('Nina', '5 seconds');
    expect((await admin.call(retryMessage, { params: { id } })).status).toBe(200);
    await world.drain();
    expect(await lead.sees()).toHaveLength(1);
    expect((await messagesOf(world, lead))[0]?.status).toBe('sent');
  });

  it("is resent under a new key later on an operator's request", async () => {
    const { lead, id } = await forgotten('Oleg', '2 minutes');
    expect((await admin.call(retryMessage, { params: { id } })).status).toBe(200);
    await world.drain();
    expect(await lead.sees()).toHaveLength(2);
  });

  it('is not sent under another key when the window ends between its check and its claim', async () => {
    const { lead, id } = await forgotten('Olga', '46.5 seconds');
    const [before] = await messagesOf(world, lead);
    const busy = await world.pool.connect();
    await busy.query('begin');
    try {
      await busy.query("select 1 from rate_limits where key like 'send %' for update");
      expect((await admin.call(retryMessage, { params: { id } })).status).toBe(200);
      await world.waitUntil(async () => (await countLockWaits()) > 0, 'its claim waits for the rate limit');
      await busy.query(
        "update messages set send_key_used_at = send_key_used_at - interval '10 seconds' where id = $1",
        [id],
      );
      await busy.query('commit');
    } finally {
      await busy.query('rollback');
      busy.release();
    }
    await world.waitUntil(
      async () => (await messagesOf(world, lead))[0]?.status === 'unconfirmed',
      'it is unconfirmed again',
    );
    expect((await messagesOf(world, lead))[0]?.send_key).toBe(before?.send_key);
    expect(await lead.sees()).toHaveLength(1);
    const { rows } = await world.pool.query('select unconfirmed_since from dialogues where contact_id = $1', [
      lead.contactId,
    ]);
    expect(rows).toEqual([{ unconfirmed_since: expect.any(Date) }]);
  });

  it('can no longer be edited, and its late echo is its own, when it is to be sent again', async () => {
    const { lead, id } = await forgotten('Petra', '5 seconds');
    await world.pool.query("update channels set paused_until = clock_timestamp() + interval '1 hour' where id = $1", [
      world.whatsapp.id,
    ]);
    expect((await admin.call(retryMessage, { params: { id } })).status).toBe(200);
    expect(await admin.call(editMessage, { params: { id }, body: { message: 'Good evening' } })).toMatchObject({
      status: 409,
      body: { detail: 'This message may have arrived already: its text can no longer be changed.' },
    });
    // The vendor does not tell the echo of a message from one that was typed on the phone.
    await world.control.type(lead.address, { channelId: world.whatsapp.ref, text: 'Good morning' });
    await world.waitUntil(
      async () => (await messagesOf(world, lead))[0]?.status !== 'scheduled',
      'the echo is applied',
    );
    expect(await messagesOf(world, lead)).toMatchObject([{ id, status: expect.stringMatching(/sent|delivered|read/) }]);
    expect(await dialogueOf(world, lead)).toMatchObject({ owner: 'bot' });
    await world.pool.query('update channels set paused_until = null where id = $1', [world.whatsapp.id]);
    await world.drain();
  });

  it('is marked as sent by an operator', async () => {
    const { lead, id } = await forgotten('Polina', '2 minutes');
    await outgoing(lead, ['Behind']);
    expect((await admin.call(markSent, { params: { id } })).status).toBe(200);
    await world.drain();
    expect(await lead.sees()).toEqual(['us: Good morning', 'us: Behind']);
    expect((await messagesOf(world, lead))[0]?.status).toBe('sent');
    expect((await admin.call(markSent, { params: { id } })).status).toBe(409);
    expect((await admin.call(retryMessage, { params: { id } })).status).toBe(409);
  });
});

// Last, because it leaves the world with another key.
describe('an API key that the vendor rejects', () => {
  it('stops the whole account until it is replaced', async () => {
    const [galina, hanna] = [await world.lead('Galina'), await world.lead('Hanna', { messenger: 'telegram' })];
    await world.control.setFaults([
      { kind: 'wazzup24.refuse', status: 401, code: 'UNAUTHORIZED', description: 'Wrong key' },
    ]);
    await outgoing(galina, ['One']);
    await world.waitUntil(async () => {
      const { rows } = await world.pool.query('select 1 from vendor_accounts where key_rejected_reason is not null');
      return rows.length > 0;
    }, 'the account is stopped');
    await world.control.setFaults([]);
    await outgoing(hanna, ['Two']);
    await world.drain();
    expect(await messagesOf(world, galina)).toMatchObject([
      { status: 'scheduled', reason: expect.stringContaining('Wrong key'), retry_count: 0 },
    ]);
    expect(await galina.sees()).toEqual([]);
    expect(await hanna.sees()).toEqual([]);
    // A new key of the same vendor, on the same channels.
    await world.control.putAccount(WAZZUP_KEY, { channels: [] });
    await world.control.putAccount('world-wazzup24-key-two', {
      channels: [
        { channelId: world.whatsapp.ref, transport: 'whatsapp', plainId: '79990000000', name: 'WhatsApp' },
        { channelId: world.telegram.ref, transport: 'tgapi', plainId: '79990000001', name: 'Telegram' },
      ],
    });
    for (const { id, ref } of [world.whatsapp, world.telegram]) {
      const { body } = await admin.call(channels.get, { params: { id } });
      const { name, number, channel_type, vendor, is_active } = body as Record<string, string>;
      const replaced = await admin.call(channels.replace, {
        params: { id },
        body: {
          name,
          number,
          channel_type,
          vendor,
          is_active,
          credentials: { api_key: 'world-wazzup24-key-two', channel_id: ref },
        } as never,
      });
      expect(replaced.status, JSON.stringify(replaced.body)).toBe(200);
    }
    expect(
      (await admin.call(registerHook, { params: { id: world.whatsapp.id }, query: { replace: true } })).status,
    ).toBe(201);
    await world.drain();
    expect(await galina.sees()).toEqual(['us: One']);
    expect(await hanna.sees()).toEqual(['us: Two']);
    expect(await messagesOf(world, galina)).toMatchObject([
      { status: expect.stringMatching(/^(sent|delivered|read)$/) },
    ]);
  });
});
