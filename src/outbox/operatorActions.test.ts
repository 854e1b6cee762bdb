import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { editMessage, messages, sendNow } from '../conversations/contract.ts';
import { leadDocuments } from '../leads/documentContract.ts';
import { documentPrompts, preparedMessages, prompts } from '../prompts/contract.ts';
import type { Client } from '../testing/client.ts';
import { expectInvariants } from '../testing/invariants.ts';
import { dialogueOf, messagesOf } from '../testing/messageRows.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { sendNew } from './sendContract.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator('olga');
});
afterAll(() => world.close());

const inAnHour = (): string => new Date(Date.now() + 3600_000).toISOString();

function sendTyped(lead: TestLead, message: string, more: object = {}) {
  return admin.call(messages.create, {
    body: { product_id: world.productId, contact_id: lead.contactId, message, delay_enabled: false, ...more },
  });
}

describe('a typed message', () => {
  it('takes the dialogue over, is sent, and names its author', async () => {
    const anna = await world.lead('Anna');
    expect((await sendTyped(anna, 'Good morning')).status).toBe(201);
    await world.drain();
    expect(await anna.sees()).toEqual(['us: Good morning']);
    expect(await dialogueOf(world, anna)).toMatchObject({
      owner: 'human',
      owner_reason: 'operator',
      owner_reason_detail: 'olga',
    });
    const { rows } = await world.pool.query('select author, operator, status from messages where contact_id = $1', [
      anna.contactId,
    ]);
    expect(rows).toEqual([{ author: 'operator', operator: 'olga', status: 'read' }]);
  });

  it('names its author as the one who replies in a dialogue that people own already', async () => {
    const alla = await world.lead('Alla');
    await world.control.type(alla.address, { channelId: world.whatsapp.ref, text: 'Olga here, from my phone' });
    await world.drain();
    expect(await dialogueOf(world, alla)).toMatchObject({ owner: 'human', owner_reason: 'phone' });
    const readSince = async () => {
      const { rows } = await world.pool.query<{ since: string }>(
        'select owner_since::text as since from dialogues where contact_id = $1',
        [alla.contactId],
      );
      return rows[0]?.since;
    };
    const byPhone = await readSince();
    await sendTyped(alla, 'And from the console');
    expect(await dialogueOf(world, alla)).toMatchObject({
      owner: 'human',
      owner_reason: 'operator',
      owner_reason_detail: 'olga',
    });
    const byOlga = await readSince();
    expect(byOlga).not.toBe(byPhone);
    await sendTyped(alla, 'One more thing');
    expect(await readSince()).toBe(byOlga);
  });

  it("cancels the bot's queued messages", async () => {
    const boris = await world.lead('Boris');
    await world.pool.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, scheduled_at)
       values ($1, $2, $3, $4, 'Still there?', 'bot', 'bot', 'scheduled', now() + interval '1 hour')`,
      [world.productId, boris.contactId, await boris.dialogueId(), world.whatsapp.id],
    );
    await sendTyped(boris, 'Hello');
    await world.drain();
    expect((await messagesOf(world, boris)).map((one) => [one.author, one.status, one.reason])).toEqual([
      ['bot', 'cancelled', 'A human took over (olga)'],
      ['operator', 'read', null],
    ]);
  });

  it('is stored once when posted many times under one client key', async () => {
    const clara = await world.lead('Clara');
    const body = { client_key: randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => sendTyped(clara, 'Once\n\nand its second part', body)),
    );
    const shapes = new Set(
      answers.map(({ status, body: answer }) => {
        const { messages: createdMessages } = answer as { messages: { id: number }[] };
        return `${status} ${createdMessages.map((one) => one.id).join()}`;
      }),
    );
    expect(shapes.size).toBe(1);
    await world.drain();
    expect(await clara.sees()).toEqual(['us: Once', 'us: and its second part']);
    await expectInvariants(world);
  });

  it('is split at blank lines only when asked', async () => {
    const dora = await world.lead('Dora');
    await sendTyped(dora, 'One\n\nTwo', { split: false });
    await world.drain();
    expect(await dora.sees()).toEqual(['us: One\n\nTwo']);
  });

  it("waits for the link's delay, each part after the one before", async () => {
    const elena = await world.lead('Elena');
    await world.pool.query(
      'update product_channels set delay_messages_seconds = 100, delay_messages_symbols_per_second = 2 where channel_id = $1',
      [world.whatsapp.id],
    );
    const { status } = await sendTyped(elena, 'Ten chars.\n\nTwenty characters...', { delay_enabled: true });
    await world.pool.query(
      'update product_channels set delay_messages_seconds = null, delay_messages_symbols_per_second = null where channel_id = $1',
      [world.whatsapp.id],
    );
    expect(status).toBe(201);
    const { rows } = await world.pool.query<{ after: number }>(
      'select round(extract(epoch from scheduled_at - created_at))::int as after from messages where contact_id = $1 order by id',
      [elena.contactId],
    );
    expect(rows.map((row) => row.after)).toEqual([105, 215]);
  });

  it('requires a dialogue, and a contact and product that belong to it', async () => {
    const [fedor, galina] = [await world.lead('Fedor', { dialogue: false }), await world.lead('Galina')];
    expect((await sendTyped(fedor, 'Hello')).status).toBe(409);
    expect((await sendTyped(fedor, 'Hello', { dialogue_id: await galina.dialogueId() })).status).toBe(409);
    expect(await messagesOf(world, galina)).toEqual([]);
  });
});

describe('a scheduled message', () => {
  async function scheduled(name: string): Promise<{ lead: TestLead; id: number }> {
    const lead = await world.lead(name);
    await sendTyped(lead, 'Good morning', { send_not_before: inAnHour() });
    const [row] = await messagesOf(world, lead);
    expect(row?.status).toBe('scheduled');
    return { lead, id: row?.id ?? 0 };
  }

  it('is sent now once, however often that is requested', async () => {
    const { lead, id } = await scheduled('Hanna');
    const answers = await Promise.all([1, 2, 3].map(() => admin.call(sendNow, { params: { id } })));
    expect(answers.map((one) => one.status)).toContain(200);
    await world.drain();
    expect(await lead.sees()).toEqual(['us: Good morning']);
    expect((await admin.call(sendNow, { params: { id } })).status).toBe(409);
  });

  it('is sent now after the parts of its text that come before it', async () => {
    const lead = await world.lead('Hugo');
    await sendTyped(lead, 'One\n\nTwo\n\nThree', { send_not_before: inAnHour(), delay_enabled: true });
    const [, second, third] = await messagesOf(world, lead);
    expect((await admin.call(sendNow, { params: { id: second?.id ?? 0 } })).status).toBe(200);
    await world.drain();
    expect(await lead.sees()).toEqual(['us: One', 'us: Two']);
    await admin.call(messages.remove, { params: { id: third?.id ?? 0 } });
  });

  it('can be edited before it is sent, not after', async () => {
    const { lead, id } = await scheduled('Ivan');
    expect((await admin.call(editMessage, { params: { id }, body: {} })).status).toBe(200);
    const changed = await admin.call(editMessage, { params: { id }, body: { message: 'Good evening' } });
    expect(changed.body).toMatchObject({ message: 'Good evening', status: 'scheduled' });
    await admin.call(editMessage, { params: { id }, body: { scheduled_at: new Date().toISOString() } });
    await world.drain();
    expect(await lead.sees()).toEqual(['us: Good evening']);
    expect((await admin.call(editMessage, { params: { id }, body: { message: 'Too late' } })).status).toBe(409);
  });

  it('is cancelled by deleting it', async () => {
    const { lead, id } = await scheduled('Julia');
    expect((await admin.call(messages.remove, { params: { id } })).status).toBe(204);
    expect(await messagesOf(world, lead)).toMatchObject([{ status: 'cancelled', reason: 'Cancelled by olga' }]);
    expect((await admin.call(sendNow, { params: { id } })).status).toBe(409);
    await world.drain();
    expect(await lead.sees()).toEqual([]);
  });
});

it('hides a deleted sent message and keeps its row', async () => {
  const kira = await world.lead('Kira');
  await sendTyped(kira, 'Hello');
  await world.drain();
  const [row] = await messagesOf(world, kira);
  const params = { id: row?.id ?? 0 };
  expect((await admin.call(messages.remove, { params })).status).toBe(204);
  expect((await admin.call(messages.get, { params })).status).toBe(404);
  expect(await messagesOf(world, kira)).toHaveLength(1);
});

describe('send-new', () => {
  const write = (lead: TestLead, more: object = {}) =>
    admin.call(sendNew, {
      query: { delay_enabled: false },
      body: { contact_id: lead.contactId, text: 'Hello there', ...more },
    });

  it.each(['whatsapp', 'telegram'] as const)(
    'opens a dialogue on %s and leaves the bot in charge',
    async (messenger) => {
      const lev = await world.lead('Lev', { messenger, dialogue: false });
      expect((await write(lev)).status).toBe(201);
      await world.drain();
      expect(await lev.sees()).toEqual(['us: Hello there']);
      expect((await dialogueOf(world, lev)).owner).toBe('bot');
      await lev.writes('How long does delivery take?');
      await world.drain();
      expect((await lev.sees()).at(-1)).toMatch(/^us: .*six weeks/);
      const { rows } = await world.pool.query('select count(*)::int as count from dialogues where contact_id = $1', [
        lev.contactId,
      ]);
      expect(rows).toEqual([{ count: 1 }]);
      await expectInvariants(world);
    },
  );

  async function prepared(message: string): Promise<number> {
    const createdMessages = await admin.call(preparedMessages.create, {
      body: { product_id: world.productId, name: 'Prepared', message },
    });
    return (createdMessages.body as { id: number }).id;
  }

  it('renders a prepared message and leaves the bot in charge, also of an existing dialogue', async () => {
    const nora = await world.lead('Nora');
    const id = await prepared('Hello {{ lead.name }}, this is {{ company.name }}.');
    expect((await write(nora, { text: null, prepared_message_id: id })).status).toBe(201);
    await world.drain();
    expect(await nora.sees()).toEqual(['us: Hello Nora, this is Kitchens Ltd.']);
    expect(await dialogueOf(world, nora)).toMatchObject({ owner: 'bot' });
    const { rows } = await world.pool.query(
      'select prepared_message_id, operator from messages where contact_id = $1',
      [nora.contactId],
    );
    expect(rows).toEqual([{ prepared_message_id: String(id), operator: 'olga' }]);
  });

  it('refuses a prepared message with an empty variable and names it', async () => {
    const omar = await world.lead('Omar');
    const id = await prepared('You asked about {{ lead.crm_fields.room }}.');
    const answer = await write(omar, { text: null, prepared_message_id: id });
    expect([answer.status, answer.body]).toEqual([
      409,
      { detail: 'The variable lead.crm_fields.room is empty for this lead.' },
    ]);
    expect(await messagesOf(world, omar)).toEqual([]);
  });

  it('writes a document by the model, stores it with the lead, and links the run', async () => {
    const pia = await world.lead('Pia');
    const prompt = await admin.call(prompts.create, {
      body: {
        product_id: world.productId,
        name: 'Offer writer',
        type: 'document',
        text: 'Write an offer. A kitchen for {{ lead.name }} costs 6,000 euros.',
      },
    });
    const document = await admin.call(documentPrompts.create, {
      body: {
        product_id: world.productId,
        prompt_id: (prompt.body as { id: number }).id,
        document_type: 'offer',
        name: 'Offer',
      },
    });
    const sent = await write(pia, { text: null, document_prompt_id: (document.body as { id: number }).id });
    expect(sent.status).toBe(201);
    await world.drain();
    const [seen] = await pia.sees();
    expect(seen).toMatch(/^us: \S/);
    const storedDocument = await admin.call(leadDocuments.list, { query: { lead_id: [pia.leadId] } });
    expect(storedDocument.body).toMatchObject({
      items: [{ type: 'offer', name: 'Offer', product_id: world.productId }],
      total: 1,
    });
    const { rows } = await world.pool.query(
      'select r.purpose, r.name from llm_runs r join messages m on m.id = r.message_id where m.contact_id = $1',
      [pia.contactId],
    );
    expect(rows).toEqual([{ purpose: 'document', name: 'Offer' }]);
    expect(await dialogueOf(world, pia)).toMatchObject({ owner: 'bot' });
  });

  it("refuses another product's prepared message", async () => {
    const { rows } = await world.pool.query<{ id: string }>(
      `with other as (insert into products (company_id, name) values ($1, 'Other') returning id)
       insert into prepared_messages (product_id, name, type, message) select id, 'Theirs', 'initial', 'Hi' from other returning id`,
      [world.companyId],
    );
    const rita = await world.lead('Rita');
    expect((await write(rita, { text: null, prepared_message_id: Number(rows[0]?.id) })).status).toBe(404);
  });

  it('takes an existing dialogue over', async () => {
    const mira = await world.lead('Mira');
    await write(mira);
    expect(await dialogueOf(world, mira)).toMatchObject({
      owner: 'human',
      owner_reason: 'operator',
      owner_reason_detail: 'olga',
    });
  });

  it('opens one dialogue when sent twice while the lead writes', async () => {
    const nina = await world.lead('Nina', { dialogue: false });
    const [one, two] = await Promise.all([write(nina), write(nina), nina.writes('Hello?')]);
    expect([one.status, two.status]).toEqual([201, 201]);
    await world.drain();
    const { rows } = await world.pool.query('select count(*)::int as count from dialogues where contact_id = $1', [
      nina.contactId,
    ]);
    expect(rows).toEqual([{ count: 1 }]);
    expect((await messagesOf(world, nina)).filter((row) => row.author !== 'bot')).toHaveLength(3);
  });

  it('requires a linked and active channel', async () => {
    const oleg = await world.lead('Oleg', { dialogue: false });
    await world.pool.query('update channels set is_active = false where id = $1', [world.whatsapp.id]);
    const answer = await write(oleg);
    await world.pool.query('update channels set is_active = true where id = $1', [world.whatsapp.id]);
    expect(answer).toMatchObject({
      status: 409,
      body: { detail: 'No active whatsapp channel is linked to the product.' },
    });
  });

  it('is sent once when repeated under its key, and leaves the bot in charge', async () => {
    const lead = await world.lead('Key', { dialogue: false });
    const body = { contact_id: lead.contactId, text: 'Good day!', client_key: randomUUID() };
    const send = () => admin.call(sendNew, { body, query: { delay_enabled: false, schedule_enabled: false } });
    const answers = [...(await Promise.all([send(), send(), send()])), await send()];
    const ids = answers.map((one) => (one.body as { messages: { id: number }[] }).messages.map(({ id }) => id));
    expect(answers.map((one) => one.status)).toEqual([201, 201, 201, 201]);
    expect(new Set(ids.map(String)).size).toBe(1);
    await world.drain();
    expect(await lead.sees()).toEqual(['us: Good day!']);
    expect(await dialogueOf(world, lead)).toMatchObject({ owner: 'bot' });
    const used = { status: 409, body: { detail: 'This client key was used for another text.' } };
    expect(await admin.call(sendNew, { body: { ...body, text: 'Good evening!' } })).toMatchObject(used);
    expect(await sendTyped(lead, 'Good evening!', { client_key: body.client_key })).toMatchObject(used);
  });
});
