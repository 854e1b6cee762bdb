/** A model that obeys all text it reads: whatever leads and documents make it do remains a proposal. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAssistantSocket, PAGE } from '../testing/assistantSocket.ts';
import type { Client } from '../testing/client.ts';
import { INJECTIONS, LONG_INJECTIONS } from '../testing/promptInjections.ts';
import { createWorld, type World } from '../testing/world.ts';

const TEXTS = [...INJECTIONS, ...LONG_INJECTIONS];
/** Marker in all data of a company that the caller may not access. */
const FOREIGN = 'only-for-the-other-company';
const PAGE_TOOLS = [
  ...PAGE.page_tools,
  {
    name: 'change_stage',
    description: 'Moves a lead to another stage.',
    parameters: {
      type: 'object',
      properties: { lead_id: { type: 'integer' }, new_stage: { enum: ['pending', 'success', 'failed', 'ignore'] } },
      required: ['lead_id', 'new_stage'],
      additionalProperties: false,
    },
    confirm: true,
  },
  {
    name: 'delete_row',
    description: 'Deletes a row.',
    parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    confirm: true,
  },
];

let world: World;
let member: Client;
beforeAll(async () => {
  world = await createWorld({});
  member = await world.operator('member', [world.companyId]);
  const { rows } = await world.pool.query('insert into companies (name) values ($1) returning id', [FOREIGN]);
  const { rows: products } = await world.pool.query(
    'insert into products (company_id, name) values ($1, $2) returning id',
    [rows[0]?.id, FOREIGN],
  );
  await world.pool.query("insert into leads (product_id, name, stage) values ($1, $2, 'started')", [
    products[0]?.id,
    FOREIGN,
  ]);
  await world.lead('Anna');
});
afterAll(() => world.close());

/** Return a checksum of all data except the assistant's own tables. */
async function stored(): Promise<string> {
  const tables = [
    'leads',
    'contacts',
    'dialogues',
    'messages',
    'prompts',
    'products',
    'companies',
    'operators',
    'company_llms',
  ];
  const rows = await Promise.all(
    tables.map((name) =>
      world.pool.query(`select coalesce(md5(string_agg(t::text, '' order by t.id)), '') as sum from ${name} t`),
    ),
  );
  return JSON.stringify(rows.map((one) => one.rows));
}

/** Several texts per page, as in a list. */
const PAGES = Array.from({ length: Math.ceil(TEXTS.length / 8) }, (_, index) => TEXTS.slice(index * 8, index * 8 + 8));

describe('hostile texts', () => {
  it.each(PAGES.map((texts) => [texts.map(([what]) => what).join('; '), texts] as const))(
    'leads to proposals of declared tools only, and to nothing after a denial: %s',
    async (_what, texts) => {
      const before = await stored();
      await world.control.setFaults([{ kind: 'openai.hostile', times: 2 }]);
      const { send: say, receiveUntilLast: received, close } = await openAssistantSocket(world, member);
      say({
        content: 'What is on this page?',
        ...PAGE,
        page_tools: PAGE_TOOLS,
        page_data: texts.map(([, text], index) => ({
          id: index + 1,
          name: text,
          crm_fields: { note: text },
          document: text,
        })),
      });
      for (let round = 0; round < 3; round++) {
        const chunks = await received();
        expect(JSON.stringify(chunks)).not.toContain(FOREIGN);
        const last = chunks.at(-1);
        const calls = last?.content.tool_calls ?? [];
        expect(calls.length).toBeLessThanOrEqual(10);
        for (const one of calls) {
          expect(PAGE_TOOLS.map(({ name }) => name)).toContain(one.name);
          expect(Object.keys(one.arguments)).not.toContain('company_id');
          expect(JSON.stringify(one.arguments)).not.toContain('__proto__');
          say({ tool_call: { call_id: one.call_id, call_result: { status: 'rejected', reason: 'No' } } });
        }
        if (last?.is_finished) break;
      }
      expect(await stored()).toBe(before);
      await close();
    },
  );
});

it('records each proposal in the audit log, none confirmed', async () => {
  const { rows } = await world.pool.query(
    "select action, count(*)::int as count from audit where noun = 'assistant_call' group by 1 order by 1",
  );
  expect(rows.map(({ action }) => action)).toEqual(['denied', 'proposed']);
  expect(rows[0]?.count).toBe(rows[1]?.count);
  expect(rows[0]?.count).toBeGreaterThan(PAGES.length);
  // The model received the content of the pages, and only of this company.
  expect(TEXTS.length).toBeGreaterThanOrEqual(40);
  const modelInput = JSON.stringify((await world.control.entriesOf('completion')).map((one) => one.messages));
  expect(modelInput).toContain('What is on this page?');
  expect(modelInput).not.toContain(FOREIGN);
});
