/** The API document as others use it: linters find no fault, and generated clients work with its types. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Ruleset, Spectral } from '@stoplight/spectral-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CompanyRowIds, createCompanyWithEveryResource } from '../../testing/everyResource.ts';
import { send } from '../../testing/sampleRequests.ts';
import { createWorld, type World } from '../../testing/world.ts';
import { spectralRules } from './lint/spectral.ts';

const ROOT = join(import.meta.dirname, '../../..');
const BIN = join(ROOT, 'node_modules/.bin');
const run = promisify(execFile);

let world: World;
let rows: CompanyRowIds;
let cookie: string;
let folder: string;
let document: string;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  rows = await createCompanyWithEveryResource(world.pool, 'Amber');
  ({ cookie } = await world.operator('root'));
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  folder = mkdtempSync(join(ROOT, 'dist/clients-'));
  document = join(folder, 'openapi.json');
  writeFileSync(document, (await send(world.url, 'GET', '/openapi.json')).text);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world.close();
});

/** Run a program of a dependency in the folder. A type checker and a linter report their findings on stdout. */
async function tool(name: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await run(join(BIN, name), args, {
    cwd: folder,
    env: { ...process.env, ...env, NO_COLOR: '1' },
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stdout?: string; message: string }) => {
    throw new Error(`${name}: ${error.stdout || error.message}`);
  });
  return stdout;
}

describe('linters', () => {
  it("passes redocly's recommended rules", async () => {
    const config = join(import.meta.dirname, 'lint/redocly.yaml');
    const found = JSON.parse(
      await tool('redocly', ['lint', document, '--config', config, '--format', 'json'], {
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      }),
    ) as { totals: object; problems: { message: string }[] };
    expect(found.problems.map(({ message }) => message)).toEqual([]);
    expect(found.totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  });

  it("passes spectral's recommended rules", async () => {
    const spectral = new Spectral();
    spectral.setRuleset(new Ruleset(spectralRules));
    const found = await spectral.run(
      JSON.parse((await send(world.url, 'GET', '/openapi.json')).text) as Record<string, unknown>,
    );
    expect(found.map(({ code, message, path }) => `${code}: ${message} ${path.join('.')}`)).toEqual([]);
  });
});

/** The output of both programs: what they read through typed fields of the generated client. */
interface Outcome {
  readonly names: string[];
  readonly total: number | null;
  readonly stage: string;
  readonly missing: string;
  readonly invalid: string[];
}

/**
 * `@ts-expect-error` is itself an error where the type would allow the line, so the types are proven, not only the
 * values.
 */
const PROGRAMS = {
  'openapiFetch.ts': `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

export async function work(url: string, cookie: string, product: number, lead: number) {
  const client = createClient<paths>({ baseUrl: url, headers: { cookie, origin: url } });
  const list = await client.GET('/v1/leads/', { params: { query: { product_id: [product], stage: ['initial'] } } });
  if (!list.data) throw new Error('no list');
  const leads: components['schemas']['Lead'][] = list.data.items;
  // @ts-expect-error a lead has no such field
  void leads[0]?.nickname;
  // @ts-expect-error there is no such stage
  const wrong = client.POST('/v1/leads/{id}/change_stage', { params: { path: { id: lead }, query: { new_stage: 'lost' } } });
  const { error: invalid, response: refused } = await wrong;
  const moved = await client.POST('/v1/leads/{id}/change_stage', {
    params: { path: { id: lead }, query: { new_stage: 'pending', update_in_crm: false } },
  });
  const missing = await client.GET('/v1/leads/{id}', { params: { path: { id: 999_999 } } });
  if (!moved.data || !missing.error || !invalid || refused.status !== 422) throw new Error('not as declared');
  const sentence: components['schemas']['Refused']['detail'] = 'x';
  void sentence;
  return {
    names: leads.map((one) => one.name),
    total: list.data.total,
    stage: moved.data.stage,
    missing: typeof missing.error.detail === 'string' ? missing.error.detail : '',
    invalid: typeof invalid.detail === 'string' ? [] : invalid.detail.map(({ loc, msg }) => \`\${loc.join('.')}: \${msg}\`),
  };
}
`,
  'heyApi.ts': `
import { createClient } from './hey/client/index';
import { changeLeadStage, getLead, listLeads } from './hey/sdk.gen';
import type { Invalid, Lead, Refused } from './hey/types.gen';

export async function work(url: string, cookie: string, product: number, lead: number) {
  const [, token = ''] = cookie.split('=');
  const client = createClient({ baseUrl: url, auth: (scheme) => (scheme.in === 'cookie' ? token : url) });
  const list = await listLeads({ client, query: { product_id: [product], stage: ['initial'] } });
  if (!list.data) throw new Error('no list');
  const leads: Lead[] = list.data.items;
  // @ts-expect-error a lead has no such field
  void leads[0]?.nickname;
  // @ts-expect-error there is no such stage
  const wrong = await changeLeadStage({ client, path: { id: lead }, query: { new_stage: 'lost' } });
  const moved = await changeLeadStage({ client, path: { id: lead }, query: { new_stage: 'pending', update_in_crm: false } });
  const missing = await getLead({ client, path: { id: 999_999 } });
  if (!moved.data || !missing.error || !wrong.error) throw new Error('not as declared');
  const refused: Refused | Invalid = missing.error;
  const invalid: Refused | Invalid = wrong.error;
  return {
    names: leads.map((one) => one.name),
    total: list.data.total,
    stage: moved.data.stage,
    missing: typeof refused.detail === 'string' ? refused.detail : '',
    invalid: typeof invalid.detail === 'string' ? [] : invalid.detail.map(({ loc, msg }) => \`\${loc.join('.')}: \${msg}\`),
  };
}
`,
} as const;

const TSCONFIG = {
  compilerOptions: {
    target: 'esnext',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: false,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['*.ts'],
};

describe('generated clients', () => {
  it('lists leads and changes a stage through a generated client with typed data and errors', async () => {
    const hook = pathToFileURL(join(ROOT, 'src/testing/typescript6.mjs')).href;
    const env = { NODE_OPTIONS: `--import ${hook}` };
    await Promise.all([
      tool('openapi-typescript', ['openapi.json', '-o', 'schema.d.ts'], env),
      tool('openapi-ts', ['-i', 'openapi.json', '-o', 'hey', '--no-log-file'], env),
    ]);
    for (const [file, program] of Object.entries(PROGRAMS)) writeFileSync(join(folder, file), program);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    await tool('tsc', ['-p', 'tsconfig.json']);
    for (const file of Object.keys(PROGRAMS)) {
      await world.pool.query("update leads set stage = 'initial' where id = $1", [rows['lead']]);
      const { work } = (await import(join(folder, file))) as {
        work: (url: string, cookie: string, product: number, lead: number) => Promise<Outcome>;
      };
      expect([file, await work(world.url, cookie, rows['product'] ?? 0, rows['lead'] ?? 0)]).toEqual([
        file,
        {
          names: ['Amber lead'],
          total: 1,
          stage: 'pending',
          missing: 'There is no such lead.',
          invalid: [
            'query.new_stage: Choose one of: initial, started, ongoing, pending, refused, ignore, success, failed',
          ],
        },
      ]);
    }
  });
});
