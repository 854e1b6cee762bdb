/** Prepared messages are for first messages or for follow-ups; settings and calls refuse one of the other kind. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendNew } from '../outbox/sendContract.ts';
import { experiments } from '../outcomes/experimentContract.ts';
import { products } from '../products/contract.ts';
import { preparedMessages } from '../prompts/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { pingConfigs } from './contract.ts';

const FOLLOW_UP = 'This prepared message is for follow-ups. Choose one for first messages.';
const FIRST = 'This prepared message is for first messages. Choose one for follow-ups.';

let world: World;
let admin: Client;
let ids: Record<'initial' | 'ping', number>;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator('root');
  ids = { initial: await prepared('initial'), ping: await prepared('ping') };
});
afterAll(() => world.close());

async function prepared(type: 'initial' | 'ping'): Promise<number> {
  const body = { product_id: world.productId, name: type, type, message: `A text for ${type}` } as const;
  return preparedMessages.item.parse((await admin.call(preparedMessages.create, { body })).body).id;
}

const refused = (loc: (string | number)[], msg: string) => ({
  status: 422,
  body: { detail: [{ loc: ['body', ...loc], msg, type: 'prepared_type' }] },
});

const FIELD = ['config', 'messaging_config', 'initial_message_prepared_message_id'];
const change = (body: object) => admin.call(products.change, { params: { id: world.productId }, body });
const useFirst = (id: number) => change({ config: { messaging_config: { initial_message_prepared_message_id: id } } });

describe('a first message', () => {
  it('is no follow-up in the settings of a product', async () => {
    expect(await useFirst(ids.ping)).toMatchObject(refused(FIELD, FOLLOW_UP));
    expect((await useFirst(ids.initial)).status).toBe(200);
  });

  it('is kept where it is stored, until the settings are changed', async () => {
    const id = await prepared('initial');
    expect((await useFirst(id)).status).toBe(200);
    await admin.call(preparedMessages.change, { params: { id }, body: { type: 'ping' } });
    expect((await change({ name: 'Renamed' })).status).toBe(200);
    expect(await change({ config: { messaging_config: { whatsapp_daily_limit: 7 } } })).toMatchObject(
      refused(FIELD, FOLLOW_UP),
    );
    expect((await useFirst(ids.initial)).status).toBe(200);
  });

  it('is no follow-up in an arm of an experiment', async () => {
    const arm = (prepared_message_id: number) => ({
      name: `Arm ${prepared_message_id}`,
      content: { source: 'prepared_message' as const, prepared_message_id },
    });
    const body = {
      product_id: world.productId,
      name: 'Two texts',
      kind: 'first_text' as const,
      base_rate: 0.2,
      difference: 0.1,
      arms: [arm(ids.initial), arm(ids.ping)],
    };
    expect(await admin.call(experiments.create, { body })).toMatchObject(
      refused(['arms', 1, 'content', 'prepared_message_id'], FOLLOW_UP),
    );
  });

  it('is no follow-up when send-new writes first, and may be one in a conversation', async () => {
    const lead = await world.lead('Anna', { dialogue: false });
    const send = (prepared_message_id: number) =>
      admin.call(sendNew, { body: { contact_id: lead.contactId, prepared_message_id } });
    expect(await send(ids.ping)).toMatchObject(refused(['prepared_message_id'], FOLLOW_UP));
    const { rows } = await world.pool.query('select from dialogues where contact_id = $1', [lead.contactId]);
    expect(rows).toHaveLength(0);
    expect((await send(ids.initial)).status).toBe(201);
    expect((await send(ids.ping)).status).toBe(201);
  });
});

describe('a follow-up', () => {
  const config = (id: number, after_minutes = 60) => ({
    steps: [{ step_number: 1, after_minutes, prepared_message_id: id }],
  });
  const at = ['config', 'steps', 0, 'prepared_message_id'];

  it('is no first message, and one that is stored can still be switched off', async () => {
    const create = (id: number) =>
      admin.call(pingConfigs.create, { body: { product_id: world.productId, config: config(id) } });
    expect(await create(ids.initial)).toMatchObject(refused(at, FIRST));
    const created = await create(ids.ping);
    expect(created.status).toBe(201);
    const { id } = pingConfigs.item.parse(created.body);
    const put = (body: object) => admin.call(pingConfigs.change, { params: { id }, body });
    expect(await put({ config: config(ids.initial) })).toMatchObject(refused(at, FIRST));
    await admin.call(preparedMessages.change, { params: { id: ids.ping }, body: { type: 'initial' } });
    expect((await put({ is_enabled: false })).status).toBe(200);
    expect(await put({ config: config(ids.ping, 90) })).toMatchObject(refused(at, FIRST));
  });
});
