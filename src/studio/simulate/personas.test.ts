/** Personas: by hand, and from dialogues without anything that says who a lead was. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../../testing/client.ts';
import { createWorld, type World } from '../../testing/world.ts';
import { derivePersonas, type Persona, personas } from '../personaContract.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator('root');
  await writeDialogues(world.productId, 12);
});
afterAll(() => world.close());

const TALKS = [
  ['Hi, I am Boris Petrov, how much is a kitchen?', 'My number is +7 999 123-45-67', 'Stop writing to me'],
  ['Здравствуйте, это Мария, сколько стоит?', 'Пишите на masha@mail.example', 'Хочу купить'],
  ['Is it far from 12 Baker Street?', 'That is too expensive', 'ok'],
  ['How long does it take? See https://boris.example/plan', 'I want to talk to a human'],
];
const NAMES = ['Boris Petrov', 'Мария Иванова', 'Zoe Quill', 'Igor'];

/** Store dialogues as they were had. One in three is held out, so some more are written. */
async function writeDialogues(productId: number, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const name = NAMES[index % NAMES.length] ?? '';
    const lead = await world.lead(name);
    const dialogue = await world.pool.query('update dialogues set turn = 3 where contact_id = $1 returning id', [
      lead.contactId,
    ]);
    for (const text of TALKS[index % TALKS.length] ?? [])
      await world.pool.query(
        `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status)
         values ($1, $2, $3, $4, $5, 'user', 'lead', 'inbound')`,
        [productId, lead.contactId, dialogue.rows[0]?.id, world.whatsapp.id, text],
      );
  }
}

async function createProduct(): Promise<number> {
  const { rows } = await world.pool.query<{ id: string }>(
    "insert into products (company_id, name) values ($1, 'Other') returning id",
    [world.companyId],
  );
  return Number(rows[0]?.id);
}

const derive = (count: number) => admin.call(derivePersonas, { body: { product_id: world.productId, count } });
const madeBy = ({ body }: { body: unknown }) => derivePersonas.replies[201].parse(body);
const writtenBy = (persona: Persona) =>
  [persona.name, persona.style, persona.goal, persona.language, ...persona.questions, ...persona.objections].join('\n');

it('is refused without dialogues', async () => {
  const answer = await admin.call(derivePersonas, { body: { product_id: await createProduct(), count: 4 } });
  expect([answer.status, answer.body]).toMatchObject([
    409,
    { detail: expect.stringMatching(/^There are no dialogues yet/) },
  ]);
});

it('makes as many as asked for, which say of how many dialogues, without what could say who the leads were', async () => {
  const answer = await derive(6);
  const { items } = madeBy(answer);
  expect(items).toHaveLength(6);
  expect(new Set(items.map(({ name }) => name)).size).toBe(6);
  expect(items.map(({ ending }) => ending)).toEqual(expect.arrayContaining(['opts_out', 'buys']));
  for (const one of items) {
    expect(one).toMatchObject({ is_derived: true, derived_from: 8, is_small_sample: true, author: 'root' });
    expect(writtenBy(one)).not.toMatch(/\d{6}|@|https?:|boris|petrov|мари|иванов|zoe|quill|igor|baker/i);
  }
  expect(items.some(({ questions }) => questions.some((text) => /how much is a kitchen\?/i.test(text)))).toBe(true);
  const completions = await world.control.entriesOf('completion');
  // The model itself was not given them either.
  expect(JSON.stringify(completions)).not.toMatch(/123-45-67|masha@|boris\.example|Petrov|Baker Street/);
  const { rows } = await world.pool.query("select count(*)::int as runs from llm_runs where purpose = 'studio'");
  expect(rows).toEqual([{ runs: 2 }]);
  const audit = await world.pool.query("select count(*)::int as entries from audit where noun = 'studio_persona'");
  expect(audit.rows).toEqual([{ entries: 6 }]);
});

/** Let the model answer with personas. */
const modelSays = (one: object) =>
  world.control.setFaults([{ kind: 'openai.says', says: JSON.stringify({ personas: [{ ...BARE, ...one }] }) }]);
const BARE = { name: 'N', style: 's', language: 'en', goal: 'g', questions: [], objections: [], ending: 'buys' };

it('stores no number, no e-mail and no name of a lead, whatever the model writes', async () => {
  const part = fc.constantFrom(
    'Boris',
    'PETROV',
    'Марией',
    'zoe',
    '79991234567',
    '12 34 56 78',
    'a@b.example',
    'https://x.example',
    'text',
    ' ',
    ', ',
  );
  const text = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => `Wants ${parts.join(' ')}`);
  const written = fc.record({
    name: text,
    style: text,
    goal: text,
    questions: fc.array(text, { maxLength: 3 }),
    objections: fc.array(text, { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(written, async (one) => {
      await modelSays(one);
      const answer = await derive(1);
      for (const stored of madeBy(answer).items)
        expect(writtenBy(stored)).not.toMatch(/\d{6}|\d \d\d \d|@|https?:|(?<!\p{L})(?:boris|petrov|мари|zoe)/iu);
    }),
    { numRuns: 15 },
  );
  await world.control.setFaults([]);
});

it('asks once more for an answer that is not as asked, and is refused after that', async () => {
  await world.control.setFaults([{ kind: 'openai.says', says: 'Certainly! Here they are.', times: 1 }]);
  expect((await derive(1)).status).toBe(201);
  await world.control.setFaults([{ kind: 'openai.says', says: '{"personas": [{"name": "x"}]}' }]);
  const refused = await derive(1);
  expect([refused.status, refused.body]).toMatchObject([
    503,
    { detail: expect.stringMatching(/^No personas could be made: the model/) },
  ]);
  await world.control.setFaults([]);
});

it('is written by hand, stays with its product, and is deleted with it', async () => {
  const body = {
    product_id: world.productId,
    name: 'Hurried parent',
    style: 'Curt',
    goal: 'Wants a price',
    ending: 'refuses' as const,
  };
  const created = await admin.call(personas.create, { body });
  const { id } = personas.item.parse(created.body);
  expect(created.body).toMatchObject({
    is_derived: false,
    derived_from: null,
    is_small_sample: false,
    language: 'en',
    version: 1,
  });
  const changed = await admin.call(personas.change, { params: { id }, body: { questions: ['How much?'] } });
  expect(changed.body).toMatchObject({ questions: ['How much?'], style: 'Curt', version: 2 });
  const other = await createProduct();
  const moved = await admin.call(personas.change, { params: { id }, body: { product_id: other } });
  expect([moved.status, moved.body]).toMatchObject([409, { detail: 'A persona stays with its product.' }]);
  const ofOther = await admin.call(personas.create, { body: { ...body, product_id: other } });
  expect(ofOther.status).toBe(201);
  await world.pool.query('delete from products where id = $1', [other]);
  const left = await world.pool.query('select id from studio_personas where product_id = $1', [other]);
  expect(left.rows).toEqual([]);
});
