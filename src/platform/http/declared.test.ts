/**
 * What the declared shapes accept, read from the shapes themselves: unknown keys at any depth, and ids of rows that do
 * not exist.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CompanyRowIds, createCompanyWithEveryResource, tableFingerprints } from '../../testing/everyResource.ts';
import {
  endpointTitle,
  responseFault,
  sampleOf,
  send,
  sendSample,
  takesBody,
  urlOf,
} from '../../testing/sampleRequests.ts';
import { createWorld, type World } from '../../testing/world.ts';
import { type Endpoint, REFERENCE } from '../contract.ts';
import { violationsOf } from '../validationMessages.ts';
import { type JsonSchema, jsonSchemaOf } from './shapes.ts';

let world: World;
let endpoints: readonly Endpoint[];
let rows: CompanyRowIds;
let admin: Record<string, string>;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  endpoints = world.app?.routes.map((one) => one.endpoint) ?? [];
  rows = await createCompanyWithEveryResource(world.pool, 'Amber');
  admin = { cookie: (await world.operator('root')).cookie, origin: world.url };
});
afterAll(() => world.close());
const idOf = (resource: string): number => rows[resource] ?? 1;

interface Spot {
  readonly path: readonly string[];
  readonly schema: JsonSchema;
}

/** List every place within a shape, itself included; `*` is any item or key. */
function spotsOf(schema: JsonSchema, path: readonly string[] = []): Spot[] {
  const inner: Spot[] = [{ path, schema }];
  for (const [key, one] of Object.entries(schema.properties ?? {})) inner.push(...spotsOf(one, [...path, key]));
  if (schema.items) inner.push(...spotsOf(schema.items, [...path, '*']));
  if (typeof schema.additionalProperties === 'object')
    inner.push(...spotsOf(schema.additionalProperties, [...path, '*']));
  for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
    inner.push(...spotsOf(one, path));
  return inner;
}

/** Return the value with `write` applied at a path. Missing steps of the path are created. */
function at(value: unknown, path: readonly string[], write: (there: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return write(value);
  if (key === '*') return [at(Array.isArray(value) ? value[0] : undefined, rest, write)];
  const base = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  return { ...base, [key]: at((base as Record<string, unknown>)[key], rest, write) };
}

describe('an unknown key', () => {
  it('refuses and names an unknown key at every depth of every body', async () => {
    const before = await tableFingerprints(world.pool);
    const wrong: string[] = [];
    let tried = 0;
    for (const one of endpoints.filter((each) => takesBody(each) && !each.loose)) {
      const objects = spotsOf(jsonSchemaOf(one.body, 'input')).filter(
        ({ path, schema }) => schema.properties && path.length > 0,
      );
      const paths = [...new Map(objects.map(({ path }) => [path.join('.'), path])).values()];
      for (const path of paths) {
        tried += 1;
        const sample = sampleOf(one, idOf);
        const body = at(sample.body, path, (there) => ({
          ...(typeof there === 'object' ? there : {}),
          zz_surprise: 1,
        }));
        const answer = await sendSample(world.url, one, { ...sample, body }, admin);
        // A union reports its errors as a whole.
        if (answer.status !== 422 || responseFault(answer) !== null)
          wrong.push(`${endpointTitle(one)} body.${path.join('.')}: ${answer.status} ${answer.text.slice(0, 120)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThan(15);
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it('refuses keys that reach a prototype at every depth, escaped too', async () => {
    const before = await tableFingerprints(world.pool);
    const wrong: string[] = [];
    for (const one of endpoints.filter((each) => takesBody(each) && !each.loose)) {
      const sample = sampleOf(one, idOf);
      const spots = spotsOf(jsonSchemaOf(one.body, 'input')).filter(({ schema }) => schema.type === 'object');
      for (const path of new Map(spots.map((spot) => [spot.path.join('.'), spot.path])).values()) {
        for (const key of ['__proto__', 'constructor', 'prototype', '\\u005f_proto__']) {
          const body = JSON.stringify(
            at(sample.body, path, (there) => ({ ...(typeof there === 'object' ? there : {}), HERE: { admin: true } })),
          );
          const answer = await send(world.url, one.method, urlOf(one, sample), {
            headers: { ...admin, 'content-type': 'application/json' },
            body: body.replace('"HERE"', `"${key}"`),
          });
          if (answer.status !== 422) wrong.push(`${endpointTitle(one)} ${path.join('.')} ${key}: ${answer.status}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });
});

// 'Invalid time format for Monday' is a text of the specification.
const LIBRARY =
  /^(Invalid(?! time format for)|Too (big|small)|Unrecognized|Required)|expected .*received|[<>]=|Infinity|undefined/;
const WRONG: readonly unknown[] = [
  undefined,
  null,
  '',
  ' ',
  'nonsense',
  '2026-02-31',
  'x'.repeat(200_001),
  -1,
  0,
  1.5,
  Number.NaN,
  1e300,
  true,
  [],
  {},
  { zz_surprise: 1 },
  { '': 1 },
  Array.from({ length: 1001 }, () => 1),
];

describe('validation messages', () => {
  it("words every validation message itself, never by the library's text", () => {
    const kinds = new Set<string>();
    const sentences = new Set<string>();
    const wrong = new Set<string>();
    for (const one of endpoints) {
      const sample = sampleOf(one, idOf);
      for (const part of ['params', 'query', 'body'] as const) {
        const spots = spotsOf(jsonSchemaOf(one[part], 'input'));
        for (const path of new Map(spots.map((spot) => [spot.path.join('.'), spot.path])).values())
          for (const value of WRONG) {
            const parsed = one[part].safeParse(at(sample[part], path, () => value));
            for (const { message, type, path: found } of parsed.success ? [] : violationsOf(parsed.error)) {
              kinds.add(type);
              sentences.add(message);
              if (LIBRARY.test(message) || !/^\p{Lu}/u.test(message))
                wrong.add(`${endpointTitle(one)} ${part}.${found.join('.')}: ${message}`);
            }
          }
      }
    }
    expect([...wrong]).toEqual([]);
    expect([...kinds].sort()).toEqual(
      expect.arrayContaining([
        'custom',
        'extra_forbidden',
        'invalid_format',
        'invalid_type',
        'invalid_value',
        'too_big',
        'too_small',
      ]),
    );
    expect([...sentences]).toEqual(
      expect.arrayContaining([
        'This field is required',
        'Enter at least 1 character',
        'This must be a whole number',
        'This must be text',
        'Enter a number greater than 0',
        'Choose one of: bot, human',
        'This field is unknown',
      ]),
    );
  });
});

/**
 * Fields that are named like an id but are no `reference`, so their scope is not checked before the handler. Each with
 * the reason.
 */
const NO_REFERENCE: readonly [where: RegExp, reason: string][] = [
  [/ws\/\w+\/?\w* query\.chat_id$/, 'a name that the client chooses; what is kept under it is kept per operator'],
  [
    /^GET \/v1\/messages\/ query\.(ping_config|prepared_message|prompt)_id\.\*$/,
    'messages outlive what they were made of: the handler asks whether there is either',
  ],
  [
    /^(GET \/v1\/audit\/|POST \/v1\/audit\/export) query\.(row|request)_id\.\*$/,
    'of any noun, of rows that are gone too; only an admin may',
  ],
  [
    /^GET \/v1\/outcomes\/\S* query\.\w*_?id\.\*$/,
    'compared with the rows of the product, which is checked; they outlive what they were made of',
  ],
  [
    /^POST \/v1\/message-troubles\/(count|retry) body\.ids\.\*$/,
    'what is gone meanwhile is passed over; only an admin may',
  ],
  [/^GET \/v1\/dialogues\/ query\.assignee_id\.\*$/, 'an operator; rows of the caller alone are found'],
  [/\/v1\/studio\/cases\/\S* body\.facts\.texts\.\*\.id$/, 'a number within the case, whose texts are copies'],
  [/^POST \/v1\/messages\/ body\.seen_message_id$/, 'compared with the messages of the dialogue'],
  [/^POST \/v1\/experiments\/\{id\}\/apply body\.target_id$/, 'compared with what the experiment’s product uses'],
  [
    /^GET \/v1\/webhook-deliveries\/ query\.event_id\.\*$/,
    'of an event that many were sent; rows of the caller alone are found',
  ],
  [/body\.passkey\.id$/, 'the authenticator’s; looked for among the operator’s own'],
  [/body\.credentials\.channel_id$/, 'the vendor’s'],
  [/(body\.(rows\.\*\.)?|query\.)crm_id(\.\*)?$/, 'the CRM’s'],
  [/body\.config\.pipelines\.\*\.pipeline_id$|body\.new_status_id$/, 'the CRM’s'],
  [/^(POST|PUT|PATCH) \/v1\/dialogues\/(\{id\})? body\.chat_id$/, 'the messenger’s'],
  [/^GET \/v1\/(messages\/ query\.ext_id|dialogues\/ query\.chat_id)\.\*$/, 'the vendor’s and the messenger’s'],
  [
    /^POST \/v1\/chatbot\/webhook body\./,
    'the vendor’s, held against the account of the bearer; without one against what the operator sees',
  ],
];

/**
 * Report whether the path is named like an id: `id`, `ids`, `lead_id`, `new_status_id`; `*` is an item of such a list.
 */
const isIdName = (path: readonly string[]): boolean =>
  /(?:^|_)ids?$/.test(path.filter((key) => key !== '*').at(-1) ?? '');

describe('an id', () => {
  it('names the resource of every id field, so that access is checked, or lists why not', () => {
    const unnamed = new Set<string>();
    let named = 0;
    for (const one of endpoints.filter((each) => each.loose !== true && each.access !== 'sandbox')) {
      for (const part of ['params', 'query', 'body'] as const) {
        for (const { path, schema } of spotsOf(jsonSchemaOf(one[part], 'input'))) {
          if (!isIdName(path)) continue;
          if (schema[REFERENCE] !== undefined) named += 1;
          else if (schema.type === 'integer' || schema.type === 'string')
            unnamed.add(`${endpointTitle(one)} ${part}.${path.join('.')}`);
        }
      }
    }
    const unsaid = [...unnamed].filter((place) => !NO_REFERENCE.some(([where]) => where.test(place)));
    expect(unsaid).toEqual([]);
    for (const [where, reason] of NO_REFERENCE)
      expect([reason, [...unnamed].some((place) => where.test(place))]).toEqual([reason, true]);
    expect(named).toBeGreaterThan(100);
  });
});

/**
 * Foreign keys to what an admin may share with more companies. They carry no company: the `_companies` tables list
 * these companies, and other keys go through those lists.
 */
const SHARED = [
  'channel_companies (channel_id) to channels',
  'channels (account_id) to vendor_accounts',
  // It carries the product of the other dialogue.
  'dialogue_links (other_id,other_product_id) to dialogues',
  'vendor_account_companies (account_id) to vendor_accounts',
];

describe('the database', () => {
  it('refuses rows that refer across products or companies: each foreign key carries both ids', async () => {
    const { rows: keys } = await world.pool.query<{ from: string; to: string; columns: string[] }>(
      `select k.conrelid::regclass::text as "from", k.confrelid::regclass::text as "to",
              array(select a.attname::text from unnest(k.conkey) c join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c) as columns
         from pg_constraint k
        where k.contype = 'f' and k.connamespace = 'public'::regnamespace`,
    );
    const { rows: scoped } = await world.pool.query<{ table: string; column: string }>(
      `select attrelid::regclass::text as "table", attname::text as "column" from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and attname in ('product_id', 'company_id')`,
    );
    const has = (table: string, column: string): boolean =>
      scoped.some((one) => one.table === table && one.column === column);
    const loose = keys
      .filter(({ from, to, columns }) =>
        ['product_id', 'company_id'].some(
          (column) => has(from, column) && has(to, column) && !columns.includes(column),
        ),
      )
      .map(({ from, to, columns }) => `${from} (${columns.join()}) to ${to}`);
    expect(loose.sort()).toEqual(SHARED);
    expect(keys.length).toBeGreaterThan(20);
  });
});
