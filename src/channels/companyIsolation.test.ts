/** A number belongs to its company, linked or not: attempts of a member of another company to use it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies } from '../companies/contract.ts';
import { dialogues } from '../conversations/contract.ts';
import { receiveWebhook } from '../inbox/chatbotContract.ts';
import { sendNew } from '../outbox/sendContract.ts';
import { products } from '../products/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import {
  type Channel,
  channels,
  checkSession,
  createProductChannel,
  listProductChannels,
  removeProductChannel,
  resumeFirstMessages,
} from './contract.ts';

let world: World;
let admin: Client;
let owner: Client;
let outsider: Client;
let foreign: number;
let anna: TestLead;

const idOf = (answer: { body: unknown }): number => (answer.body as { id: number }).id;

beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator();
  const company = idOf(await admin.call(companies.create, { body: { name: 'Boats Ltd' } }));
  foreign = idOf(await admin.call(products.create, { body: { name: 'Boats', company_id: company } }));
  owner = await world.operator('owner', [world.companyId]);
  outsider = await world.operator('stranger', [company]);
  anna = await world.lead('Anna');
});
afterAll(() => world.close());

const unlink = () =>
  owner.call(removeProductChannel, { query: { product_id: world.productId, channel_id: world.whatsapp.id } });
const link = (by: Client, productId: number, channelId = world.whatsapp.id) =>
  by.call(createProductChannel, { body: { product_id: productId, channel_id: channelId } });

describe('an unlinked channel', () => {
  it("stays with its company: other companies' members cannot see, read, use or link it", async () => {
    expect((await unlink()).status).toBe(204);
    const channelList = (await outsider.call(channels.list)).body as { items: Channel[] };
    expect(channelList.items).toEqual([]);
    const { id } = world.whatsapp;
    const forged = {
      channel_id: id,
      messages: [
        { chat_id: anna.address, message: 'stop', message_id: 'forged-1', status: 'inbound' as const },
        { chat_id: anna.address, message: 'Hi', message_id: 'forged-2', is_echo: true, status: 'sent' as const },
      ],
    };
    const contact_id = anna.contactId;
    const tries = [
      await outsider.call(channels.get, { params: { id } }),
      await outsider.call(checkSession, { params: { id } }),
      await outsider.call(resumeFirstMessages, { params: { id } }),
      await outsider.call(receiveWebhook, { body: forged }),
      await outsider.call(sendNew, { body: { contact_id, channel_id: id, text: 'Hello' } }),
      await outsider.call(dialogues.list, { query: { channel_id: [id] } }),
      await link(outsider, foreign),
    ];
    expect(tries.map(({ status }) => status)).toEqual(tries.map(() => 404));
    const { rows } = await world.pool.query(
      'select 1 from inbox union all select 1 from product_channels where channel_id = $1',
      [id],
    );
    expect(rows).toEqual([]);
  });

  it('can be linked again by its own company', async () => {
    await unlink();
    expect((await owner.call(channels.get, { params: { id: world.whatsapp.id } })).status).toBe(200);
    expect((await link(owner, world.productId)).status).toBe(201);
  });
});

describe('one channel linked at the same moment', () => {
  /** Make all calls while a lock prevents inserting links, and release it once each call waits or is refused. */
  async function sendConcurrently(calls: (() => Promise<{ status: number }>)[]): Promise<number[]> {
    const client = await world.pool.connect();
    try {
      await client.query('begin');
      await client.query('lock table product_channels in share mode');
      let ended = 0;
      const answers = calls.map(async (call) => {
        const { status } = await call();
        ended++;
        return status;
      });
      await world.waitUntil(async () => {
        const { rows } = await world.pool.query<{ count: number }>(
          `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return ended + (rows[0]?.count ?? 0) >= calls.length;
      }, 'both calls wait');
      await client.query('commit');
      return (await Promise.all(answers)).sort((a, b) => a - b);
    } finally {
      client.release(true);
    }
  }

  const linksOf = async (id: number) => {
    const { items } = (await admin.call(listProductChannels, { query: { channel_id: [id] } })).body as {
      items: { product_id: number }[];
    };
    return items.map(({ product_id }) => product_id);
  };

  it('goes to its owner when members of two companies link it at once', async () => {
    await unlink();
    expect(await sendConcurrently([() => link(owner, world.productId), () => link(outsider, foreign)])).toEqual([
      201, 404,
    ]);
    expect(await linksOf(world.whatsapp.id)).toEqual([world.productId]);
  });

  it('goes to the first company when admins link it for two at once', async () => {
    const credentials = { api_key: 'key-of-a-new-account', channel_id: 'new' };
    const body = { name: 'New', vendor: 'wazzup24', channel_type: 'whatsapp', credentials } as const;
    const id = idOf(await admin.call(channels.create, { body }));
    // Either company may own channels of the account, so only the channel's own row decides.
    await world.pool.query(
      `insert into vendor_account_companies (account_id, company_id)
       select c.account_id, k.id from channels c, companies k where c.id = $1`,
      [id],
    );
    const calls = [world.productId, foreign].map((product) => () => link(admin, product, id));
    expect(await sendConcurrently(calls)).toEqual([201, 409]);
    expect(await linksOf(id)).toHaveLength(1);
  });
});
