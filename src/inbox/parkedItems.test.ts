/** Items that cannot be processed: they block no others, and after some attempts they are set aside. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readQueues } from '../monitoring/store/queues.ts';
import { dialogueOf, hookUrl, inboundItem, messagesOf, postHook } from '../testing/messageRows.ts';
import { createWorld, type World } from '../testing/world.ts';
import { receiveWebhook } from './chatbotContract.ts';

const QUESTION = 'How long does delivery take?';
const UNPROCESSABLE_TEXT = 'No row can be made of this';

let world: World;
let url = '';
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_LOG_LEVEL: 'silent', RAPPORT_RETRY_BASE_SECONDS: '2' } });
  url = await hookUrl(world);
  await world.pool.query(`
    create function refuse_poison() returns trigger language plpgsql as $$
    begin
      if new.message = '${UNPROCESSABLE_TEXT}' then raise exception 'Poison'; end if;
      return new;
    end $$;
    create trigger refuse_poison before insert on messages for each row execute function refuse_poison();`);
});
afterAll(() => world.close());
afterEach(() => world.pool.query("delete from inbox where state <> 'done'"));

interface UnfinishedItem {
  state: string;
  error: string | null;
  attempts: number;
  /** Seconds until the next try. */
  pause: number | null;
}

async function findUnfinishedItem(): Promise<UnfinishedItem | undefined> {
  const { rows } = await world.pool.query<UnfinishedItem>(
    `select state, note_detail as error, attempts, extract(epoch from retry_at - clock_timestamp())::float8 as pause from inbox where state <> 'done'`,
  );
  return rows[0];
}

async function waitForAttempts(attempts: number): Promise<void> {
  await world.waitUntil(async () => (await findUnfinishedItem())?.attempts === attempts, `tried ${attempts} times`);
}

describe('an item that cannot be processed', () => {
  it('delays neither items of the same webhook nor parked ones', async () => {
    const [anna, boris, clara] = [await world.lead('Anna'), await world.lead('Boris'), await world.lead('Clara')];
    await postHook(url, {
      messages: [inboundItem(world, anna.address, UNPROCESSABLE_TEXT), inboundItem(world, clara.address, QUESTION)],
    });
    await waitForAttempts(1);
    expect(await findUnfinishedItem()).toMatchObject({ state: 'new', error: 'Poison' });
    // Make it due again, before all others.
    await world.pool.query(
      "update inbox set retry_at = null, received_at = received_at - interval '1 minute' where state = 'new'",
    );
    await world.control.type(boris.address, { channelId: world.whatsapp.ref, text: 'Hello Boris, this is Oleg' });
    await world.waitUntil(async () => (await dialogueOf(world, boris)).owner === 'human', 'a human has taken over');
    await world.waitUntil(async () => (await clara.sees()).length === 1, 'Clara is answered');
    expect((await findUnfinishedItem())?.attempts).toBeGreaterThanOrEqual(1);
  });

  it('is retried with growing delays, parked visibly, and processed once possible', async () => {
    const dora = await world.lead('Dora');
    await postHook(url, { messages: [inboundItem(world, dora.address, UNPROCESSABLE_TEXT)] });
    await waitForAttempts(1);
    await world.pool.query(
      "update inbox set attempts = 6, retry_at = null, received_at = received_at - interval '1 minute' where state = 'new'",
    );
    await waitForAttempts(7);
    // The lead's later messages are stored, but not answered before it is set aside.
    expect((await findUnfinishedItem())?.state).toBe('new');
    expect((await findUnfinishedItem())?.pause).toBeGreaterThan(60);
    await dora.writes(QUESTION);
    await world.waitUntil(async () => (await messagesOf(world, dora, 'user')).length === 1, 'the question is stored');
    expect(await messagesOf(world, dora, 'bot')).toEqual([]);
    await world.pool.query("update inbox set retry_at = null where state = 'new'");
    await waitForAttempts(8);
    expect((await findUnfinishedItem())?.state).toBe('failed');
    await world.waitUntil(async () => (await dora.sees()).length === 2, 'Dora is answered');
    await world.drain();
    const queues = await readQueues(world.pool);
    // A count from the database, which the world's pool returns as text.
    expect(queues).toMatchObject({ inbox_open: '1' });
    expect(queues.inbox_open_seconds).toBeGreaterThan(59);

    await world.pool.query('alter table messages disable trigger refuse_poison');
    await world.pool.query("update inbox set retry_at = null where state = 'failed'");
    await world.waitUntil(async () => (await findUnfinishedItem()) === undefined, 'it is done');
    await world.pool.query('alter table messages enable trigger refuse_poison');
    expect((await messagesOf(world, dora, 'user')).map((one) => one.message).toSorted()).toEqual([
      QUESTION,
      UNPROCESSABLE_TEXT,
    ]);
    await world.drain();
    expect(await readQueues(world.pool)).toMatchObject({ inbox_open: '0' });
  });
});

describe("a vendor's time and chat id", () => {
  it.each([
    ['the year 0', { dateTime: '0000-01-01T00:00:00Z' }],
    ['a year of six digits', { dateTime: '+012026-01-01T00:00:00Z' }],
    ['a year before the first', { dateTime: '-000044-03-15T12:00:00Z' }],
  ])('is ignored when invalid: %s', async (name, more) => {
    const lead = await world.lead(name);
    await postHook(url, { messages: [inboundItem(world, lead.address, QUESTION, more)] });
    await world.drain();
    expect((await lead.sees()).at(-1)).toMatch(/^us: /);
  });

  it('ignores a blank chat id, and trims others', async () => {
    const emil = await world.lead('Emil');
    const item = (chatId: string) => inboundItem(world, chatId, QUESTION, { contact: { phone: ' ' } });
    await postHook(url, { messages: [item(' '), item(` ${emil.address} `)] });
    await world.drain();
    expect((await messagesOf(world, emil, 'user')).map((one) => one.message)).toEqual([QUESTION]);
    const { rows } = await world.pool.query("select note from inbox where kind = 'message' and chat_id is null");
    expect(rows).toEqual([{ note: 'no_chat' }]);
  });

  it('finds the lead of all messages of a chat by a later one that names the address', async () => {
    const gerda = await world.lead('Gerda');
    await world.pool.query('update product_channels set inbound_enabled = false');
    const earlier = { dateTime: new Date(Date.now() - 2000).toISOString() };
    const item = (phone: string, sent = {}) =>
      inboundItem(world, 'an unknown chat', QUESTION, { contact: { phone }, ...sent });
    await postHook(url, { messages: [item(' ', earlier), item(gerda.address)] });
    await world.drain();
    await world.pool.query('update product_channels set inbound_enabled = true');
    expect((await messagesOf(world, gerda, 'user')).map((one) => one.message)).toEqual([QUESTION, QUESTION]);
  });

  it('notes a message without a channel as one without a chat', async () => {
    await world.pool.query(
      `insert into inbox (account_id, kind, ext_id, status, chat_id, item)
       select account_id, 'message', 'nowhere', 'inbound', '79001234567', '{"text": "Hello", "mediaKind": "text"}' from channels where id = $1`,
      [world.whatsapp.id],
    );
    await world.drain();
    const { rows } = await world.pool.query("select note from inbox where ext_id = 'nowhere'");
    expect(rows).toEqual([{ note: 'no_chat' }]);
  });

  it('applies to our own format too', async () => {
    const frida = await world.lead('Frida');
    const admin = await world.operator();
    const message = (chat_id: string, sent_at: string) =>
      ({ chat_id, message: QUESTION, message_id: `${frida.address} ${sent_at}`, status: 'inbound', sent_at }) as const;
    const answer = await admin.call(receiveWebhook, {
      body: {
        channel_id: world.whatsapp.id,
        messages: [
          // In the year 10000 in UTC.
          message(` ${frida.address}`, '9999-12-31T23:59:59-10:00'),
          message(' ', '2026-01-01T00:00:00Z'),
        ],
      },
    });
    expect(answer.status).toBe(200);
    await world.drain();
    expect((await frida.sees()).at(-1)).toMatch(/^us: /);
  });
});

describe('a parked report that cannot be applied', () => {
  it('is deferred, and does not keep others from being applied together', async () => {
    const rosa = await world.lead('Rosa');
    const { rows } = await world.pool.query<{ id: string }>(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, sent_at, ext_id)
       select product_id, contact_id, id, channel_id, text, 'bot', 'bot', 'sent', domain_now(), text
         from dialogues, unnest(array['poison', 'other']) as text where contact_id = $1 returning id`,
      [rosa.contactId],
    );
    await world.pool.query(`
      create function refuse_status() returns trigger language plpgsql as $$ begin raise exception 'Poison'; end $$;
      create trigger refuse_status before update on messages for each row
        when (new.id = ${rows[0]?.id} and new.status = 'delivered') execute function refuse_status()`);
    const store = (extId: string, state: string) =>
      world.pool.query(
        `insert into inbox (account_id, kind, ext_id, status, item, state, retry_at, attempts)
         select account_id, 'status', $2, 'delivered', '{"kind": "status", "occurredAt": null}', $3,
                case when $3 = 'parked' then clock_timestamp() end, 3 from channels where id = $1`,
        [world.whatsapp.id, extId, state],
      );
    try {
      await store('poison', 'parked');
      await waitForAttempts(4);
      // The delay doubles with each attempt: 2 seconds after the first one, 16 after the fourth.
      expect((await findUnfinishedItem())?.pause).toBeGreaterThan(10);
      await store('other', 'new');
      await world.waitUntil(
        async () =>
          (await messagesOf(world, rosa)).some(({ ext_id, status }) => ext_id === 'other' && status === 'delivered'),
        'the other report is applied',
      );
      expect(await findUnfinishedItem()).toMatchObject({ error: 'Poison', attempts: 4 });
    } finally {
      await world.pool.query('drop trigger refuse_status on messages; drop function refuse_status');
    }
  });
});
