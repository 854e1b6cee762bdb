import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase } from '../testing/postgres.ts';
import type { TestDatabase } from '../testing/testServer.ts';
import { ConfigError, readConfig } from './config.ts';
import { openSecretCipher, resolveMode } from './installation.ts';

let database: TestDatabase;
let pool: pg.Pool;
let dataDir: string;
beforeAll(async () => {
  database = await freshDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  await pool.query('update installation set mode = null, key_check = null');
  dataDir = mkdtempSync(join(tmpdir(), 'rapport-installation-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const KEY = 'a secret key of at least thirty-two characters';
/** The configuration with the embedded PostgreSQL, unless `DATABASE_URL` is given. */
const config = (env: Record<string, string> = {}) => readConfig({ RAPPORT_DATA_DIR: dataDir, ...env });
const ENV = { DATABASE_URL: 'postgresql://somewhere', RAPPORT_SECRET_KEY: KEY };
const HTTPS = { RAPPORT_PUBLIC_URL: 'https://rapport.example' };

async function sentence(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(() => null).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ConfigError);
  return error instanceof Error ? error.message : '';
}

describe('the mode', () => {
  it('starts an embedded database as a sandbox and an external one as production', async () => {
    expect(await resolveMode(pool, config())).toBe('sandbox');
    await pool.query('update installation set mode = null');
    expect(await resolveMode(pool, config({ ...ENV, ...HTTPS }))).toBe('production');
  });

  it('sets the mode by RAPPORT_SANDBOX for good', async () => {
    expect(await resolveMode(pool, config({ ...ENV, RAPPORT_SANDBOX: 'on' }))).toBe('sandbox');
    // The database has stored the mode.
    expect(await resolveMode(pool, config({ ...ENV, ...HTTPS }))).toBe('sandbox');
    expect(await sentence(resolveMode(pool, config({ RAPPORT_SANDBOX: 'off', ...HTTPS })))).toBe(
      'This database is a sandbox installation; RAPPORT_SANDBOX=off does not fit it.',
    );
    await pool.query("update installation set mode = 'production'");
    expect(await sentence(resolveMode(pool, config({ RAPPORT_SANDBOX: 'on' })))).toMatch(
      /^This database is a production/,
    );
  });

  it('binds a sandbox to loopback only, unless it is made public', async () => {
    const open = { HOST: '0.0.0.0', RAPPORT_PUBLIC_URL: 'http://10.0.0.1:3000' };
    expect(await sentence(resolveMode(pool, config(open)))).toMatch(/^The sandbox has a known password/);
    expect(await resolveMode(pool, config({ ...open, RAPPORT_SANDBOX: 'public' }))).toBe('sandbox');
  });

  it('requires an https public URL in production', async () => {
    for (const env of [{}, { RAPPORT_PUBLIC_URL: 'http://rapport.example' }])
      expect(await sentence(resolveMode(pool, config({ ...ENV, ...env })))).toBe(
        'RAPPORT_PUBLIC_URL is required in production, and has to begin with https://.',
      );
  });

  it('stores no refused mode', async () => {
    await sentence(resolveMode(pool, config(ENV)));
    expect((await pool.query('select mode from installation')).rows).toEqual([{ mode: null }]);
  });
});

describe('the mode of a new database', () => {
  it('decides the mode once when two servers start together', async () => {
    const modes = [{ RAPPORT_SANDBOX: 'on' }, { RAPPORT_SANDBOX: 'off', ...HTTPS }];
    for (let round = 0; round < 10; round++) {
      await pool.query('update installation set mode = null');
      const settled = await Promise.allSettled(modes.map((env) => resolveMode(pool, config(env))));
      expect(settled.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    }
  });
});

describe('the secret key', () => {
  it('creates the secret key once beside an embedded database, readable by its owner only', async () => {
    const encrypted = (await openSecretCipher(pool, config())).encryptSecret('secret', 'here');
    const file = join(dataDir, 'secret.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').trim()).toMatch(/^[\w-]{43}$/);
    expect((await openSecretCipher(pool, config())).decryptSecret(encrypted, 'here')).toBe('secret');
  });

  it('creates no new secret key when the old one is missing', async () => {
    await openSecretCipher(pool, config());
    const file = join(dataDir, 'secret.key');
    rmSync(file);
    expect(await sentence(openSecretCipher(pool, config()))).toBe(
      `The secret key ${file} is missing; without it the stored secrets cannot be read. Put it back.`,
    );
    expect(existsSync(file)).toBe(false);
  });

  it('requires the secret key with DATABASE_URL, unless the data directory has it', async () => {
    const url = { DATABASE_URL: 'postgresql://somewhere' };
    expect(await sentence(openSecretCipher(pool, config(url)))).toMatch(
      /^RAPPORT_SECRET_KEY is required with DATABASE_URL/,
    );
    const encrypted = (await openSecretCipher(pool, config())).encryptSecret('secret', 'here');
    expect((await openSecretCipher(pool, config(url))).decryptSecret(encrypted, 'here')).toBe('secret');
  });

  it("refuses another installation's secret key", async () => {
    await openSecretCipher(pool, config(ENV));
    await openSecretCipher(pool, config(ENV));
    expect(await sentence(openSecretCipher(pool, config({ ...ENV, RAPPORT_SECRET_KEY: `${KEY}!` })))).toBe(
      'The secret key is not the one that this database was made with.',
    );
  });

  it('refuses a short secret key', async () => {
    expect(await sentence(openSecretCipher(pool, config({ RAPPORT_SECRET_KEY: 'short' })))).toBe(
      'RAPPORT_SECRET_KEY needs at least 32 characters.',
    );
  });

  it('creates one secret key when two servers start together', async () => {
    const keys = [KEY, `${KEY}!`];
    for (let round = 0; round < 10; round++) {
      await pool.query('update installation set key_check = null');
      const opened = await Promise.allSettled(
        keys.map((key) => openSecretCipher(pool, config({ ...ENV, RAPPORT_SECRET_KEY: key }))),
      );
      expect(opened.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    }
  });
});
