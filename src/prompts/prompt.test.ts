import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../platform/log.ts';
import { openDb } from '../platform/openDb.ts';
import { createThreads, type Threads } from '../platform/threads.ts';
import { freshDatabase } from '../testing/postgres.ts';
import {
  createPrompt,
  EmptyVariable,
  renderMessage,
  renderPrompt,
  TemplateError,
  type TemplateValues,
} from './prompt.ts';

const values: TemplateValues = {
  lead: {
    name: 'Anna {{ company.name }} {% raw %}',
    first_name: 'Anna',
    stage: 'ongoing',
    crm_fields: { city: 'Omsk', budget: 5000, tags: ['a', 'b'] },
  },
  contact: { contact: '79990000001', type: 'whatsapp' },
  product: { name: 'Kitchens' },
  company: { name: 'Kitchens Ltd' },
  document: { offer: 'Oak, 6,000 euros', long: 'x'.repeat(200_000) },
  now: '2026-11-21T10:00:00.000Z',
};

let database: Awaited<ReturnType<typeof freshDatabase>>;
let db: ReturnType<typeof openDb>;
let threads: Threads;
let productId = 0;
beforeAll(async () => {
  database = await freshDatabase();
  threads = createThreads(database.url);
  db = openDb(database.url, createLog('silent'), { max: 2 });
  const { rows } = await db.pool.query<{ id: number }>(`
    with made as (insert into companies (name) values ('Kitchens Ltd') returning id)
    insert into products (company_id, name) select id, 'Kitchens' from made returning id`);
  productId = rows[0]?.id ?? 0;
  await db.transact(async (tx) => {
    const make = (name: string, text: string) =>
      createPrompt(tx, { productId, name, type: 'subprompt', text, author: null });
    await make('Greeting', 'Hello {{ lead.name }}');
    await make('Place', 'in {{ lead.crm_fields.place }}');
    await make('Loop', "{% render 'Loop' %}");
  });
});
afterAll(async () => {
  await threads.close();
  await db.close();
  await database.drop();
});

const render = (text: string): Promise<string> =>
  renderPrompt({ reader: db.reader, threads }, { product: { id: productId, company_id: 1 }, text, values });

describe('a template', () => {
  it.each([
    ['{{ product.name }} of {{ company.name }}', 'Kitchens of Kitchens Ltd'],
    ['{{ lead.crm_fields.city }}', 'Omsk'],
    ["{{ lead.crm_fields.tags | join: ', ' }}", 'a, b'],
    ["{{ lead.crm_fields.missing | default: 'none' }}|{{ lead.crm_fields.missing }}|{{ nobody.knows }}", 'none||'],
    ['{% if lead.crm_fields.budget > 4000 %}rich{% else %}poor{% endif %}', 'rich'],
    ["{% case lead.stage %}{% when 'ongoing' %}on{% endcase %}", 'on'],
    ['{% for tag in lead.crm_fields.tags %}<{{ tag }}>{% endfor %}', '<a><b>'],
    ['plain text, {single} braces', 'plain text, {single} braces'],
  ])('renders %s as %s', async (text, expected) => expect(await render(text)).toBe(expected));

  it('includes a subprompt of the product with the same values', async () => {
    expect(await render("{% render 'Greeting' %}!")).toBe('Hello Anna {{ company.name }} {% raw %}!');
  });

  it("renders values once: a lead's name is never a template", async () => {
    expect(await render('Dear {{ lead.name }}')).toBe('Dear Anna {{ company.name }} {% raw %}');
  });

  it('reaches no prototype from a template', async () => {
    for (const path of [
      'lead.constructor',
      'lead.__proto__',
      'lead.crm_fields.constructor.name',
      'lead.name.constructor',
      "lead['constructor']",
    ])
      expect(await render(`[{{ ${path} }}]`), path).toBe('[]');
  });

  it.each([
    ['an unknown filter', "{{ 'x' | sha256 }}"],
    ['an unknown tag', "{% include 'x' %}"],
    ['a file', "{% layout '/etc/passwd' %}"],
    ['an assignment', '{% assign x = 1 %}'],
    ['an unclosed tag', '{% if lead %}'],
    ['a missing subprompt', "{% render 'Nobody' %}"],
    ['a file as subprompt', "{% render '../../etc/passwd' %}"],
    ['a subprompt that renders itself', "{% render 'Loop' %}"],
    ['a loop without end', '{% for a in (1..1000000000) %}{% for b in (1..1000000000) %}x{% endfor %}{% endfor %}'],
    ['more characters than any model reads', `{% for a in (1..40) %}${'x'.repeat(50_000)}{% endfor %}`],
    ['more than a million characters of values', '{{ document.long }}'.repeat(6)],
    ['a subprompt that a value would choose', '{% render lead.name %}'],
    ['a text beyond the limit', 'x'.repeat(200_001)],
  ])('refuses a template with %s in one sentence', async (_name, text) => {
    await expect(render(text)).rejects.toThrow(TemplateError);
  });

  it('refuses a template whose empty loops exceed 50 ms of CPU time', async () => {
    const empty = '{% for a in (1..1300) %}{% for b in (1..1300) %}{% endfor %}{% endfor %}';
    await expect(render(empty)).rejects.toThrow('longer than 50 ms');
    expect(await render('{% for a in (1..3) %}{{ a }}{% endfor %}')).toBe('123');
  });

  it('refuses a template that makes a huge value', async () => {
    const doubled = `{{ 'x' ${"| replace: 'x', 'xxxxxxxxxx' ".repeat(9)} }}`;
    await expect(render(doubled)).rejects.toThrow(TemplateError);
  });
});

describe('a prepared message', () => {
  const fill = (text: string): Promise<string> =>
    renderMessage({ reader: db.reader, threads }, { product: { id: productId, company_id: 1 }, text, values });

  it.each([
    ['Hello {{ lead.crm_fields.city }}', 'Hello Omsk'],
    ["Hello {{ lead.crm_fields.missing | default: 'friend' }}", 'Hello friend'],
    ['Hello{% if lead.crm_fields.missing %} {{ lead.crm_fields.missing }}{% endif %}', 'Hello'],
    ['Our offer: {{ document.offer }}', 'Our offer: Oak, 6,000 euros'],
  ])('renders %s as %s', async (text, expected) => expect(await fill(text)).toBe(expected));

  it.each([
    ['Hello {{ lead.crm_fields.missing }}', 'lead.crm_fields.missing'],
    ['{{ lead.crm_fields.city }} {{ document.contract | upcase }}', 'document.contract'],
    ["{{ lead.crm_fields.missing | default: 'x' }} {{ lead.crm_fields.street }}", 'lead.crm_fields.street'],
    ['{% if lead.crm_fields.a %}{{ lead.crm_fields.a }}{% endif %}{{ lead.crm_fields.b }}', 'lead.crm_fields.b'],
    ['{% if lead.name %}{{- lead.crm_fields.c -}}{% endif %}', 'lead.crm_fields.c'],
    ['{{ lead.crm_fields.Город }}', 'lead.crm_fields.Город'],
    ["{{ lead.crm_fields['size | of kitchen'] | upcase }}", "lead.crm_fields['size | of kitchen']"],
    ["{{ lead.name }}{% render 'Place' %}", 'lead.crm_fields.place'],
    ['{% for tag in lead.crm_fields.tags %}{{ tag.colour }}{% endfor %}', 'tag.colour'],
    ["{{ lead.crm_fields.city | replace: 'Omsk', '' }}", 'lead.crm_fields.city'],
  ])('refuses %s: %s is empty', async (text, variable) =>
    expect(await fill(text).catch((error: unknown) => error)).toEqual(new EmptyVariable(variable)),
  );
});
