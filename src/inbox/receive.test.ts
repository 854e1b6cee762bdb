import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findOrCreateAccount, hookAddress } from '../channels/account.ts';
import { countModelCalls, dialogueOf, hookUrl, inboundItem, messagesOf, postHook } from '../testing/messageRows.ts';
import { createWorld, type World } from '../testing/world.ts';

const QUESTION = 'How long does delivery take?';
let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterEach(() => world.control.setFaults([]));
afterAll(() => world.close());

async function countOf(table: 'leads' | 'messages' | 'inbox' | 'dialogues'): Promise<number> {
  const { rows } = await world.pool.query<{ count: number }>(`select count(*)::int from ${table}`);
  return rows[0]?.count ?? 0;
}

describe('the same webhook', () => {
  it('has one effect when delivered twenty times at once', async () => {
    const anna = await world.lead('Anna');
    const url = await hookUrl(world);
    const body = { messages: [inboundItem(world, anna.address, QUESTION)] };
    const answers = await Promise.all(Array.from({ length: 20 }, () => postHook(url, body)));
    expect(answers.map((one) => one.status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(answers.reduce((sum, one) => sum + (one.accepted ?? 0), 0)).toBe(1);
    await world.drain();
    expect((await messagesOf(world, anna)).map((one) => one.side)).toEqual(['user', 'bot']);
  });

  it('stores duplicated and shuffled messages once, in order, with one answer', async () => {
    const boris = await world.lead('Boris');
    await world.control.setFaults([
      { kind: 'hooks.duplicate', copies: 3 },
      { kind: 'hooks.shuffle', size: 8, ms: 60 },
    ]);
    const texts = Array.from({ length: 8 }, (_, index) => `Thought number ${index}`);
    const startedAt = Date.now() - 60_000;
    for (const [index, text] of texts.entries())
      await world.control.write(boris.address, {
        channelId: world.whatsapp.ref,
        text,
        at: new Date(startedAt + index * 1000).toISOString(),
      });
    await world.drain();
    await world.control.setFaults([]);
    const { rows } = await world.pool.query<{ message: string }>(
      "select message from messages where contact_id = $1 and side = 'user' order by thread_at, id",
      [boris.contactId],
    );
    expect(rows.map((row) => row.message)).toEqual(texts);
    const sent = (await messagesOf(world, boris, 'bot')).filter((one) => one.status !== 'cancelled');
    expect(sent).toHaveLength(1);
  });

  it('processes messages, statuses and a state of one webhook', async () => {
    const clara = await world.lead('Clara');
    const item = inboundItem(world, clara.address, QUESTION);
    const answer = await postHook(await hookUrl(world), {
      messages: [item, { nonsense: true }, null, 'x'],
      statuses: [{ messageId: randomUUID(), status: 'read', timestamp: new Date().toISOString() }, { status: 'read' }],
      channelsUpdates: [{ channelId: world.telegram.ref, state: 'qridle', timestamp: 1 }],
    });
    expect(answer).toEqual({ status: 200, accepted: 3 });
    await world.drain();
    expect(await messagesOf(world, clara, 'user')).toHaveLength(1);
    const { rows } = await world.pool.query('select state, is_session_active from channels where id = $1', [
      world.telegram.id,
    ]);
    expect(rows).toEqual([{ state: 'qridle', is_session_active: false }]);
    await world.pool.query("update channels set state = 'active', is_session_active = true where id = $1", [
      world.telegram.id,
    ]);
  });
});

describe('a forged webhook', () => {
  it('changes nothing with an unknown secret', async () => {
    const before = await countOf('inbox');
    const url = (await hookUrl(world)).replace(/[^/]+$/, 'x'.repeat(43));
    const answer = await postHook(url, { messages: [inboundItem(world, '79001112233', QUESTION)] });
    expect(answer.status).toBe(404);
    expect(await countOf('inbox')).toBe(before);
  });

  it("changes nothing for another account's channel or message", async () => {
    const { app } = world;
    if (!app) throw new Error('no server');
    const { context } = app;
    const accountId = await context.transact((tx) =>
      findOrCreateAccount(context, tx, { vendor: 'wazzup24', apiKey: 'another-key' }),
    );
    const foreignUrl = await hookAddress(context, accountId);
    const dora = await world.lead('Dora');
    await dora.writes(QUESTION);
    await world.drain();
    const [, sent] = await messagesOf(world, dora);
    const before = await countOf('messages');
    expect(await postHook(foreignUrl, { messages: [inboundItem(world, dora.address, 'I am Dora')] })).toEqual({
      status: 200,
      accepted: 0,
    });
    const status = { messageId: sent?.ext_id, status: 'error', error: { error: 'BAD_CONTACT' } };
    await world.pool.query("update messages set status = 'sent' where id = $1", [sent?.id]);
    expect((await postHook(foreignUrl, { statuses: [status] })).status).toBe(200);
    await world.drain();
    expect(await countOf('messages')).toBe(before);
    expect((await messagesOf(world, dora))[1]).toMatchObject({ status: 'sent', reason: null });
    await world.pool.query("update messages set status = 'read' where id = $1", [sent?.id]);
    await world.pool.query('delete from inbox where account_id = $1', [accountId]);
  });

  it('changes nothing for an unknown channel', async () => {
    const before = await countOf('inbox');
    const item = inboundItem(world, '79001112244', QUESTION, { channelId: randomUUID() });
    expect(await postHook(await hookUrl(world), { messages: [item] })).toEqual({ status: 200, accepted: 0 });
    expect(await countOf('inbox')).toBe(before);
  });
});

describe('a message that the bot does not answer', () => {
  async function quietly(name: string, act: (address: string) => Promise<unknown>) {
    const lead = await world.lead(name);
    const calls = await countModelCalls(world);
    await act(lead.address);
    await world.drain();
    expect(await countModelCalls(world)).toBe(calls);
    expect(await messagesOf(world, lead, 'bot')).toEqual([]);
    return lead;
  }
  const channelId = (): string => world.whatsapp.ref;

  it('is stored when older than 24 hours', async () => {
    const at = new Date(Date.now() - 25 * 3600_000).toISOString();
    const lead = await quietly('Elena', (address) =>
      world.control.write(address, { channelId: channelId(), text: QUESTION, at }),
    );
    expect(await messagesOf(world, lead)).toMatchObject([{ status: 'inbound', message: QUESTION }]);
  });

  it('is stored when it is a notice or a missed call', async () => {
    const lead = await quietly('Fedor', async (address) => {
      for (const type of ['system', 'missing_call', 'unsupported'] as const)
        await world.control.write(address, { channelId: channelId(), type });
    });
    expect((await messagesOf(world, lead)).map((one) => one.kind).toSorted()).toEqual([
      'missing_call',
      'system',
      'unsupported',
    ]);
  });

  it('is not stored with the lead when written in a group', async () => {
    const lead = await quietly('Galina', (address) =>
      world.control.write(address, {
        channelId: channelId(),
        text: QUESTION,
        chatType: 'whatsgroup',
        chatId: '1203@g.us',
      }),
    );
    expect(await messagesOf(world, lead)).toEqual([]);
    const { rows } = await world.pool.query("select note from inbox where chat_id = '1203@g.us'");
    expect(rows).toEqual([{ note: 'group' }]);
  });

  it('is stored while the product is switched off', async () => {
    await world.pool.query('update products set is_active = false where id = $1', [world.productId]);
    const lead = await quietly('Hanna', (address) =>
      world.control.write(address, { channelId: channelId(), text: QUESTION }),
    );
    await world.pool.query('update products set is_active = true where id = $1', [world.productId]);
    expect(await messagesOf(world, lead)).toHaveLength(1);
  });

  it('hands over after the conversation has ended', async () => {
    for (const stage of ['refused', 'success']) {
      const lead = await world.lead('Ivan', { stage });
      await lead.writes('I have thought about it. What does it cost?');
      await world.drain();
      expect(await dialogueOf(world, lead)).toMatchObject({ owner: 'human', owner_reason: 'writes_again' });
      expect(await messagesOf(world, lead, 'bot')).toEqual([]);
    }
  });

  it('opts out before a model is called, and cancels queued messages', async () => {
    const lead = await world.lead('Julia');
    await world.pool.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, scheduled_at)
       values ($1, $2, $3, $4, 'Shall we meet?', 'bot', 'bot', 'scheduled', now() + interval '1 hour')`,
      [world.productId, lead.contactId, await lead.dialogueId(), world.whatsapp.id],
    );
    const calls = await countModelCalls(world);
    await lead.writes('Stop writing to me, please');
    await world.drain();
    expect(await countModelCalls(world)).toBe(calls);
    expect(await messagesOf(world, lead, 'bot')).toMatchObject([{ status: 'cancelled', reason: 'The lead opted out' }]);
    const { rows } = await world.pool.query(
      'select is_active, recognized_deactivation_request from leads where id = $1',
      [lead.leadId],
    );
    expect(rows).toEqual([{ is_active: false, recognized_deactivation_request: true }]);
  });

  it('opts out as every lead of the product with the same address, in any messenger', async () => {
    const asked = await world.lead('Karl');
    const twin = await world.lead('Karl again', { messenger: 'telegram' });
    const stranger = await world.lead('Liam');
    await world.pool.query('update contacts set address = $2 where id = $1', [twin.contactId, asked.address]);
    await asked.writes('Stop writing to me, please');
    await world.drain();
    const { rows } = await world.pool.query(
      `select l.id::int, l.is_active, l.recognized_deactivation_request as asked, e.event_data->>'by' as by
         from leads l left join lead_events e on e.lead_id = l.id and e.event_type = 'deactivated'
        where l.id = any($1) order by l.id`,
      [[asked, twin, stranger].map((one) => one.leadId)],
    );
    expect(rows).toEqual([
      { id: asked.leadId, is_active: false, asked: true, by: 'lead' },
      { id: twin.leadId, is_active: false, asked: true, by: 'same person' },
      { id: stranger.leadId, is_active: true, asked: false, by: null },
    ]);
  });

  it('opts out as its other leads however often that fails', async () => {
    const asked = await world.lead('Mona');
    const twins = [
      await world.lead('Mona again', { messenger: 'telegram' }),
      await world.lead('Mona once more', { messenger: 'telegram' }),
    ];
    const [first, second] = twins.map((twin) => twin.leadId);
    await world.pool.query('update contacts set address = $2 where id = any($1)', [
      twins.map((twin) => twin.contactId),
      asked.address,
    ]);
    await world.pool.query(`
      create function refuse_it() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
      create trigger refuse_it before update on leads for each row when (new.id = ${first}) execute function refuse_it()`);
    await asked.writes('Stop writing to me, please');
    const propagation = async () =>
      (
        await world.pool.query<{ attempts: number; retry_at: string | null; error: string | null }>(
          'select attempts, retry_at, error from opt_out_propagations where lead_id = $1 and claimed_by is null',
          [asked.leadId],
        )
      ).rows[0];
    await world.waitUntil(async () => (await propagation())?.attempts === 1, 'it has failed once');
    expect(await propagation()).toMatchObject({
      retry_at: expect.anything(),
      error: '1 leads of the person did not follow: error: not now',
    });
    const active = async () =>
      (await world.pool.query('select id::int from leads where is_active and id in ($1, $2)', [first, second])).rows;
    expect(await active()).toEqual([{ id: first }]);
    await world.pool.query('drop trigger refuse_it on leads; drop function refuse_it');
    await world.pool.query('update opt_out_propagations set attempts = 1000, retry_at = now()');
    await world.waitUntil(async () => (await active()).length === 0, 'it has succeeded');
    await world.waitUntil(async () => (await propagation()) === undefined, 'nothing is left to do');
  });
});

describe('a message that the bot answers', () => {
  it('is stored as a picture with its link, and the model learns its kind', async () => {
    const kira = await world.lead('Kira');
    await world.control.write(kira.address, {
      channelId: world.whatsapp.ref,
      type: 'image',
      contentUri: 'https://example.com/plan.png',
    });
    await world.control.write(kira.address, {
      channelId: world.whatsapp.ref,
      type: 'audio',
      contentUri: 'https://example.com/a.ogg',
    });
    await world.drain();
    // Two concurrent hooks have no order.
    const stored = (await messagesOf(world, kira, 'user')).map((one) => [one.message, one.kind]);
    expect(stored).toEqual(
      expect.arrayContaining([
        ['[image]', 'image'],
        ['[voice message]', 'voice message'],
      ]),
    );
    expect(stored).toHaveLength(2);
    const asked = JSON.stringify((await world.control.entriesOf('completion')).at(-1)?.messages);
    expect(asked).toContain('[image]');
    expect(asked).toContain('[voice message]');
    expect((await kira.sees()).at(-1)).toMatch(/^us: /);
  });

  it('creates one lead for an unknown sender in the product with inbound enabled', async () => {
    const before = await countOf('leads');
    const address = '79005550001';
    const url = await hookUrl(world);
    await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        postHook(url, { messages: [inboundItem(world, address, `Hello ${index}`, { contact: { name: 'Lev' } })] }),
      ),
    );
    await world.drain();
    expect(await countOf('leads')).toBe(before + 1);
    const { rows } = await world.pool.query(
      `select l.name, l.stage, l.product_id::int, c.contact_type, c.is_main, d.owner,
              (select count(*)::int from messages m where m.dialogue_id = d.id and side = 'user') as written,
              (select count(*)::int from messages m where m.dialogue_id = d.id and side = 'bot' and m.status <> 'cancelled') as answered
         from leads l join contacts c on c.lead_id = l.id join dialogues d on d.contact_id = c.id where c.address = $1`,
      [address],
    );
    expect(rows).toMatchObject([
      {
        name: 'Lev',
        stage: 'ongoing',
        product_id: world.productId,
        contact_type: 'whatsapp',
        is_main: true,
        owner: 'bot',
        written: 6,
      },
    ]);
  });

  it('opens a dialogue for a known contact, also by an unknown Telegram chat id', async () => {
    for (const messenger of ['whatsapp', 'telegram'] as const) {
      const mira = await world.lead('Mira', { messenger, dialogue: messenger === 'telegram' });
      const before = await countOf('leads');
      await world.control.write(mira.address, { channelId: world[messenger].ref, text: QUESTION });
      await world.drain();
      expect(await countOf('leads')).toBe(before);
      expect((await mira.sees()).at(-1)).toMatch(/six weeks/);
    }
  });

  it('takes messages that arrive together from one chat for those of one person', async () => {
    const vera = await world.lead('Vera', { messenger: 'telegram' });
    const before = await countOf('leads');
    const chat = { chatType: 'telegram', channelId: world.telegram.ref };
    const withPhone = { ...chat, contact: { name: 'Vera', phone: vera.address } };
    await postHook(await hookUrl(world), {
      messages: [
        inboundItem(world, '5550001', QUESTION, { ...withPhone, dateTime: new Date(Date.now() - 2000).toISOString() }),
        inboundItem(world, '5550001', 'And do not write to me again', chat),
      ],
    });
    await world.drain();
    expect(await countOf('leads')).toBe(before);
    expect(await messagesOf(world, vera, 'user')).toHaveLength(2);
  });

  it.each([
    ['in our form', (address: string) => address],
    ['as people write it', (address: string) => address.replace(/^7(...)/, '+7 ($1) ')],
  ])('keeps a stage set while a message comes from an unknown chat whose phone is written %s', async (_, written) => {
    const sara = await world.lead('Sara', { messenger: 'telegram', stage: 'started' });
    const operator = await world.pool.connect();
    await operator.query('begin');
    await operator.query("update leads set stage = 'refused' where id = $1", [sara.leadId]);
    const contact = { name: 'Sara', phone: written(sara.address) };
    const chat = { chatType: 'telegram', channelId: world.telegram.ref, contact };
    await postHook(await hookUrl(world), { messages: [inboundItem(world, randomUUID(), QUESTION, chat)] });
    await world.waitUntil(
      async () =>
        (
          await world.pool.query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          )
        ).rowCount !== 0,
      'it waits for the operator',
    );
    await operator.query('commit');
    operator.release();
    await world.drain();
    const { rows } = await world.pool.query('select stage from leads where id = $1', [sara.leadId]);
    expect(rows).toEqual([{ stage: 'refused' }]);
    expect((await messagesOf(world, sara)).map(({ side }) => side)).toEqual(['user']);
  });

  it('moves the lead from started to ongoing', async () => {
    const nina = await world.lead('Nina', { stage: 'initial' });
    await nina.writes(QUESTION);
    await world.drain();
    const { rows } = await world.pool.query('select stage from leads where id = $1', [nina.leadId]);
    expect(rows).toEqual([{ stage: 'ongoing' }]);
  });
});

it('stores the item without lead or answer when no product has inbound enabled', async () => {
  await world.pool.query('update product_channels set inbound_enabled = false where channel_id = $1', [
    world.telegram.id,
  ]);
  const before = await countOf('leads');
  await world.control.write('79005550002', { channelId: world.telegram.ref, text: QUESTION, name: 'Oleg' });
  await world.drain();
  await world.pool.query('update product_channels set inbound_enabled = true where channel_id = $1', [
    world.telegram.id,
  ]);
  expect(await countOf('leads')).toBe(before);
  const { rows } = await world.pool.query(
    'select note, state from inbox where channel_id = $1 order by id desc limit 1',
    [world.telegram.id],
  );
  expect(rows).toEqual([{ note: 'no_product', state: 'done' }]);
});

it("adds no message on a lead's edit or deletion", async () => {
  const lead = await world.lead('Polina');
  const { messageIds } = await world.control.write(lead.address, { channelId: world.whatsapp.ref, text: QUESTION });
  await world.drain();
  const calls = await countModelCalls(world);
  const [messageId = ''] = messageIds;
  await world.control.amend(lead.address, { messageId, text: 'How much is it?' });
  await world.control.amend(lead.address, { messageId });
  await world.drain();
  expect(await countModelCalls(world)).toBe(calls);
  expect(await messagesOf(world, lead)).toHaveLength(2);
});
