import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type LeadDocument, leadDocuments } from './documentContract.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator();
});
afterAll(() => world.close());

const LINK = 'https://example.com/offer.pdf';
const NEITHER = { detail: [{ loc: ['body', 'document', 'text_data'], msg: 'A text or a link is required' }] };

it('requires a text or a link when a document is created or replaced', async () => {
  const { leadId } = await world.lead('Anna', { dialogue: false });
  const base = { lead_id: leadId, name: 'Offer', type: 'offer' };
  const create = (more: object) => admin.call(leadDocuments.create, { body: { ...base, ...more } });

  const linked = await create({ document_url: LINK });
  expect(linked).toMatchObject({ status: 201, body: { document: { text_data: '' }, document_url: LINK } });
  expect(await create({ document: { text_data: 'Oak' } })).toMatchObject({
    status: 201,
    body: { document: { text_data: 'Oak' }, document_url: null },
  });
  const nothing = [{}, { document: {} }, { document: { text_data: ' \n' } }, { document_url: null }];
  for (const more of nothing) expect(await create(more)).toMatchObject({ status: 422, body: NEITHER });

  const { id } = linked.body as LeadDocument;
  const replace = (more: object) => admin.call(leadDocuments.replace, { params: { id }, body: { ...base, ...more } });
  expect(await replace({ document_url: null })).toMatchObject({ status: 422, body: NEITHER });
  expect(await replace({ document: { text_data: 'Ash' }, document_url: null })).toMatchObject({
    status: 200,
    body: { document_url: null },
  });
  expect(await admin.call(leadDocuments.list, { query: { lead_id: [leadId] } })).toMatchObject({ body: { total: 2 } });
});
