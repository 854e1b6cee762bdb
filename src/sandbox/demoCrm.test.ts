import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppContext } from '../platform/appContext.ts';
import { createWorld, type World } from '../testing/world.ts';
import { connectDemoCrm } from './demoCrm.ts';

let world: World;
let context: AppContext;
beforeAll(async () => {
  // As when it is started: the demo and its cards exist before the jobs run.
  world = await createWorld({ env: { RAPPORT_DEMO: 'on' } });
  if (!world.app) throw new Error('This world has a server');
  context = world.app.context;
});
afterAll(() => world.close());

async function rows<T>(text: string, values: unknown[] = []): Promise<T[]> {
  return (await world.pool.query(text, values)).rows;
}
const account = () => rows('select state, token_version, last_error, hooks from amocrm_accounts');
const cards = () =>
  rows(`select l.name, l.stage, l.status, l.crm_pending, l.crm_id = c.card_id::text as is_same
          from crm_cards c join leads l on l.id = c.lead_id order by c.card_id`);
const eventsOfCards = () =>
  rows('select id, event_type from lead_events where lead_id in (select lead_id from crm_cards) order by id');
const AS_CREATED = [
  { name: 'Luna Palmtree', stage: 'started', status: 'First message sent', crm_pending: false, is_same: true },
  { name: 'Otto Lampenschirm', stage: 'ongoing', status: 'Talking', crm_pending: false, is_same: true },
  { name: 'Пётр Вымыслов', stage: 'pending', status: 'Thinking it over', crm_pending: false, is_same: true },
  { name: 'Greta Apfelkuchen', stage: 'success', status: 'Closed - won', crm_pending: false, is_same: true },
];

it('is connected, with cards of leads that stand where their leads stand', async () => {
  expect(await cards()).toEqual(AS_CREATED);
  const before = await eventsOfCards();
  await world.drain();
  expect(await account()).toEqual([{ state: 'connected', token_version: 1, last_error: null, hooks: 'subscribed' }]);
  expect(await cards()).toEqual(AS_CREATED);
  // Importing the cards changed none of their leads. The engine works on others meanwhile.
  expect(await eventsOfCards()).toEqual(before);
  const board = await world.control.amocrm.board();
  expect(board.cards.map((one) => [one.contact, one.status_id])).toEqual([
    ['Luna Palmtree', 60_002],
    ['Otto Lampenschirm', 60_003],
    ['Пётр Вымыслов', 60_004],
    ['Greta Apfelkuchen', 142],
  ]);
});

it('has a note and a task of the hand-over on the card', async () => {
  await world.drain();
  const [card] = (await world.control.amocrm.board()).cards.filter((one) => one.contact === 'Greta Apfelkuchen');
  expect(card?.notes.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Handed over to a person: qualified\nThe lead asks: "Could the invoice go to my company/),
  ]);
  expect(card?.tasks.map(({ text }) => text)).toEqual([expect.stringContaining('Reply to Greta Apfelkuchen')]);
});

it('follows a card that is dragged on the board', async () => {
  const [card] = (await world.control.amocrm.board()).cards.filter((one) => one.contact === 'Luna Palmtree');
  await world.control.amocrm.changeCard(card?.id ?? 0, { status_id: 60_003 });
  await world.drain();
  expect(await cards()).toContainEqual({ ...AS_CREATED[0], stage: 'ongoing', status: 'Talking' });
});

it('is connected once, and again only where the emulators have forgotten it', async () => {
  await connectDemoCrm(context, world.control);
  expect(await account()).toMatchObject([{ token_version: 1 }]);
  await world.pool.query("update amocrm_accounts set client_id = 'of another life', host = '127.0.0.1:1'");
  await connectDemoCrm(context, world.control);
  expect(await account()).toMatchObject([{ state: 'connected', token_version: 2 }]);
  expect((await world.control.amocrm.board()).cards).toHaveLength(4);
  await world.drain();
  expect(await account()).toMatchObject([{ state: 'connected', last_error: null }]);

  // The same emulators on another port still know it.
  await world.pool.query("update amocrm_accounts set host = '127.0.0.1:1'");
  await connectDemoCrm(context, world.control);
  expect(await rows('select token_version, host from amocrm_accounts')).toEqual([
    { token_version: 2, host: new URL(context.config.vendorUrls.amocrm).host },
  ]);
});

it('stays disconnected, and deleted', async () => {
  await world.pool.query("update amocrm_accounts set state = 'disconnected', client_id = 'of another life'");
  await connectDemoCrm(context, world.control);
  expect(await account()).toMatchObject([{ state: 'disconnected', token_version: 2 }]);
  await world.pool.query('delete from product_integrations');
  await world.pool.query('delete from crm_integrations');
  await connectDemoCrm(context, world.control);
  expect(await account()).toEqual([]);
});
