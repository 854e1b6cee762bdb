/**
 * Every bound of every endpoint, violated one at a time, and thousands of random bodies. Generated from the routes. In
 * `npm test` every other bound, and a third of the random bodies.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CompanyRowIds, createCompanyWithEveryResource, tableFingerprints } from '../../testing/everyResource.ts';
import { inputsOf, invalidInputsOf, UNKNOWN_KEY, withInvalidInput } from '../../testing/invalidInputs.ts';
import { ALL, partOf } from '../../testing/partOf.ts';
import { endpointTitle, responseFault, sampleOf, sendSample, takesBody } from '../../testing/sampleRequests.ts';
import { createWorld, type World } from '../../testing/world.ts';
import type { Endpoint } from '../contract.ts';
import { jsonSchemaOf } from './shapes.ts';

let world: World;
let endpoints: readonly Endpoint[];
let rows: CompanyRowIds;
let admin: Record<string, string>;

beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  // Only our own endpoints: what vendors send is read leniently, and the sandbox's clock waits while it moves.
  endpoints = (world.app?.routes.map((one) => one.endpoint) ?? []).filter(
    (one) => !one.loose && !one.path.startsWith('/sandbox'),
  );
  rows = await createCompanyWithEveryResource(world.pool, 'Amber');
  admin = { cookie: (await world.operator('root')).cookie, origin: world.url };
});
afterAll(() => world.close());

const idOf = (resource: string): number => rows[resource] ?? 1;
const AT_ONCE = 8;

async function inTurn<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let from = 0; from < all.length; from += AT_ONCE)
    done.push(...(await Promise.all(all.slice(from, from + AT_ONCE).map(work))));
  return done;
}

describe('a bound', () => {
  it.each(['body', 'query'] as const)(
    'answers 422 naming the field when the bound of a %s is exceeded, and changes nothing',
    async (part) => {
      const before = await tableFingerprints(world.pool);
      const wrong: string[] = [];
      let tried = 0;
      for (const one of endpoints) {
        // A socket is requested by an upgrade: see socketAccess.test.ts.
        if (one.socket || (part === 'body' && !takesBody(one))) continue;
        const sample = sampleOf(one, idOf);
        const schema = jsonSchemaOf(one[part], 'input');
        // In a URL everything is text, so a text is no wrong type there, and null is left out.
        const bounds = invalidInputsOf(schema).filter(
          ({ bound, path }) =>
            part === 'body' || (path.length === 1 && !['type', 'null', 'items', 'minLength'].includes(bound)),
        );
        const all = partOf(bounds, tried, 2);
        tried += all.length;
        await inTurn(all, async (breakage) => {
          const broken = { ...sample, [part]: withInvalidInput(sample[part], breakage) };
          const answer = await sendSample(world.url, one, broken, admin);
          const named =
            answer.status === 422 &&
            (JSON.parse(answer.text) as { detail: { loc: unknown[] }[] }).detail.some(
              ({ loc }) =>
                loc[0] === part &&
                (loc.length === 1 ||
                  breakage.path.slice(0, loc.length - 1).join() === loc.slice(1, 1 + breakage.path.length).join()),
            );
          if (!named)
            wrong.push(
              `${endpointTitle(one)} ${part}.${breakage.path.join('.')} ${breakage.bound}: ${answer.status} ${answer.text.slice(0, 160)}`,
            );
        });
      }
      expect(wrong).toEqual([]);
      expect(tried).toBeGreaterThan(part === 'body' ? 300 : 100);
      expect(await tableFingerprints(world.pool)).toEqual(before);
    },
  );
});

describe('random bodies', () => {
  it('accepts or refuses random bodies without a server error, and stores no unknown key', async () => {
    const writing = endpoints.filter(
      (one) => takesBody(one) && Object.keys(jsonSchemaOf(one.body, 'input').properties ?? {}).length > 0,
    );
    const wanted = ALL ? 2400 : 800;
    const each = Math.ceil(wanted / writing.length);
    const faults: string[] = [];
    const seen = new Map<number, number>();
    let sent = 0;
    for (const one of writing) {
      const bodies = fc.sample(inputsOf(jsonSchemaOf(one.body, 'input'), idOf), { numRuns: each, seed: 20_261 });
      sent += bodies.length;
      // A login that happens to be right ends the session of the browser it comes from.
      const headers = one.access === 'public' ? { origin: world.url } : admin;
      await inTurn(bodies, async (body) => {
        const sample = { ...sampleOf(one, idOf), body };
        const answer = await sendSample(world.url, one, sample, headers);
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        const fault = answer.status === 503 ? null : responseFault(answer);
        if (fault) faults.push(`${endpointTitle(one)} ${JSON.stringify(body)?.slice(0, 200)}: ${fault}`);
      });
    }
    expect(faults).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(wanted);
    // Both outcomes occurred: some bodies are valid.
    for (const status of [201, 422]) expect(seen.get(status), `${status}`).toBeGreaterThan(20);
    const { rows: tables } = await world.pool.query<{ name: string }>(
      "select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'",
    );
    for (const { name } of tables) {
      const { rows: stored } = await world.pool.query(`select 1 from ${name} t where t::text like $1`, [
        `%"${UNKNOWN_KEY}"%`,
      ]);
      expect([name, stored.length]).toEqual([name, 0]);
    }
  });
});
