/** A model call in progress ends when the operator who requested it loses access. */
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { disableOperator } from '../access/operator.ts';
import { masterChat } from '../assistant/contract.ts';
import { generate } from '../llm/settingsContract.ts';
import { sendNew } from '../outbox/sendContract.ts';
import type { Client } from '../testing/client.ts';
import { openTestSocket } from '../testing/testSocket.ts';
import { createWorld, type World } from '../testing/world.ts';

let world: World;
let promptId = 0;
let documentPromptId = 0;
beforeAll(async () => {
  world = await createWorld();
  const { rows } = await world.pool.query<{ prompt: string; document: string }>(
    `with written as (
       insert into prompts (product_id, name, type, text, live_version, live_text, live_since)
       values ($1, 'Offer', 'document', 'Write an offer.', 1, 'Write an offer.', now()) returning id
     ), named as (
       insert into document_prompts (product_id, prompt_id, document_type, name) select $1, id, 'offer', 'Offer' from written returning id
     )
     select (select min(id) from prompts where product_id = $1) as prompt, id as document from named`,
    [world.productId],
  );
  promptId = Number(rows[0]?.prompt);
  documentPromptId = Number(rows[0]?.document);
});
afterAll(() => world.close());
afterEach(async () => {
  await world.control.setFaults([]);
  await world.control.changeSettings({ llm: { msPerToken: 0 } });
});

const withLogin = (text: string) => (_client: Client, login: string) => world.pool.query(text, [login]);
const ACCESS_LOSSES: readonly [string, (client: Client, login: string) => Promise<unknown>][] = [
  ['signed out', (client) => client.fetch('/v1/auth/logout', { method: 'POST' })],
  [
    'was shut out',
    (_client, login) =>
      world.app?.context.transact((tx) => disableOperator(tx, login)) ?? Promise.reject(new Error('no server')),
  ],
  [
    'lost the company',
    withLogin('delete from operator_companies where operator_id = (select id from operators where login = $1)'),
  ],
];

/** Make the model answer so much that it would stream for minutes. */
async function answerSlowly(): Promise<void> {
  await world.control.setFaults([{ kind: 'openai.says', says: 'word '.repeat(2000) }]);
  await world.control.changeSettings({ llm: { msPerToken: 100 } });
}

const streams = async (): Promise<number> => (await world.control.quiet()).streams;

const SOCKETS: readonly [string, () => string, object][] = [
  [
    'playground that names no product',
    () => '/v1/llm/ws/chat/simple',
    {
      content: 'Hello',
      get prompt_id() {
        return promptId;
      },
    },
  ],
  [
    'assistant',
    () => `${masterChat.path}?product_id=${world.productId}`,
    { content: 'Hello', page_description: 'A page', page_data: '', page_tools: [] },
  ],
];

describe.each(SOCKETS)('an answer of the %s', (name, path, question) => {
  it.each(ACCESS_LOSSES)('ends when the operator %s', async (lossName, loseAccess) => {
    await answerSlowly();
    const login = `${name} ${lossName}`;
    const client = await world.operator(login, [world.companyId]);
    const {
      socket,
      send: say,
      next,
    } = await openTestSocket(world, path(), {
      headers: { cookie: client.cookie, origin: world.url },
      parse: (frame) => frame,
      isLast: () => false,
    });
    const closed = once(socket, 'close');
    say(question);
    await next();
    await loseAccess(client, login);
    expect((await closed)[0]).toBe(1008);
    await world.waitUntil(async () => (await streams()) === 0, 'the stream to the model to end');
    expect((await world.control.entriesOf('completion')).at(-1)).toMatchObject({ whole: false });
  });
});

describe.each(ACCESS_LOSSES)('a call whose operator %s while the model writes', (lossName, loseAccess) => {
  const refused = lossName === 'lost the company' ? 404 : 401;
  async function callDuringLoss(kind: string, ask: (client: Client) => Promise<{ status: number }>): Promise<number> {
    // Long enough for access to be lost meanwhile, and short enough to finish.
    await world.control.setFaults([{ kind: 'openai.says', says: 'Here is our offer for your kitchen.' }]);
    await world.control.changeSettings({ llm: { msPerToken: 120 } });
    const login = `${kind} ${lossName}`;
    const client = await world.operator(login, [world.companyId]);
    const asked = ask(client);
    await world.waitUntil(async () => (await streams()) === 1, 'the model to write');
    await loseAccess(client, login);
    return (await asked).status;
  }

  it('sends and stores no document', async () => {
    const lead = await world.lead('Pia');
    const body = { contact_id: lead.contactId, text: null, document_prompt_id: documentPromptId };
    expect(await callDuringLoss('document', (client) => client.call(sendNew, { body }))).toBe(refused);
    const { rows } = await world.pool.query(
      'select (select count(*)::int from messages where contact_id = $1) as messages, (select count(*)::int from lead_documents where lead_id = $2) as documents',
      [lead.contactId, lead.leadId],
    );
    expect(rows).toEqual([{ messages: 0, documents: 0 }]);
  });

  it('returns no text', async () => {
    const body = { product_id: world.productId, purpose: 'document' as const, content: 'Write an offer' };
    expect(await callDuringLoss('generate', (client) => client.call(generate, { body }))).toBe(refused);
  });
});
