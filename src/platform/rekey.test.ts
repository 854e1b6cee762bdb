import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase } from '../testing/postgres.ts';
import { appUrlOf, type TestDatabase } from '../testing/testServer.ts';
import { readConfig } from './config.ts';
import { openSecretCipher } from './installation.ts';
import { rekey } from './rekey.ts';
import type { SecretCipher } from './secretCipher.ts';

const FORMER = 'the former secret key, of many characters';
const NEXT = 'the next secret key, of many more characters';
let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await freshDatabase();
  pool = new pg.Pool({ connectionString: appUrlOf(database.url), max: 3 });
  await pool.query("insert into companies (name) values ('Kitchens')");
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** The cipher of a server with these keys, the first one current. */
const cipherOf = (current: string, ...others: string[]): Promise<SecretCipher> =>
  openSecretCipher(
    pool,
    readConfig({
      DATABASE_URL: database.url,
      RAPPORT_SECRET_KEY: current,
      RAPPORT_OTHER_SECRET_KEYS: others.join('\n'),
    }),
  );

const place = (id: number) => `company_llms.api_key_sealed.${id}`;

interface Stored {
  id: number;
  sealed: string;
  revision: string;
}
const stored = async (): Promise<Stored[]> =>
  (await pool.query<Stored>('select id::int, api_key_sealed as sealed, revision::text from company_llms order by id'))
    .rows;

beforeEach(async () => {
  await pool.query('delete from company_llms');
  await pool.query('delete from amocrm_states');
  await pool.query('update installation set key_check = null, hash_key_sealed = null');
  const cipher = await cipherOf(FORMER);
  for (let n = 1; n <= 7; n++) {
    const { rows } = await pool.query<{ id: string }>(
      "insert into company_llms (company_id, vendor, is_active, api_key_sealed) select id, 'chatgpt', false, '' from companies limit 1 returning id",
    );
    const id = Number(rows[0]?.id);
    await pool.query('update company_llms set api_key_sealed = $2 where id = $1', [
      id,
      cipher.encryptSecret(`key ${n}`, place(id)),
    ]);
  }
  const hash = Buffer.from('a state');
  await pool.query(
    "insert into amocrm_states (state_hash, session_hash, company_id, flow, client_secret_sealed) select $1, '', id, 'ordinary', $2 from companies limit 1",
    [hash, cipher.encryptSecret('the client secret', `amocrm_states.client_secret_sealed.${hash.toString('hex')}`)],
  );
});

describe('rekeying', () => {
  it('encrypts every value under the current key, so that the former one is not needed', async () => {
    const before = await stored();
    const hash = (await cipherOf(FORMER)).hash('an address');
    const both = await cipherOf(NEXT, FORMER);
    // Seven API keys, a client secret, the key check, the hash key.
    expect(await rekey(pool, both, 3)).toEqual({ reencrypted: 10, unreadable: [] });
    const alone = await cipherOf(NEXT);
    const after = await stored();
    expect(after.map(({ id, sealed }) => alone.decryptSecret(sealed, place(id)))).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((n) => `key ${n}`),
    );
    // Row versions are unchanged, and hash lookups still match.
    expect(after.map(({ revision }) => revision)).toEqual(before.map(({ revision }) => revision));
    expect(alone.hash('an address').equals(hash)).toBe(true);
    await expect(cipherOf(FORMER)).rejects.toThrow('The secret key is not the one that this database was made with.');
    // A second run has nothing to do and changes nothing.
    expect(await rekey(pool, alone)).toEqual({ reencrypted: 0, unreadable: [] });
    expect(await stored()).toEqual(after);
  });

  it('covers every encrypted column', async () => {
    await rekey(pool, await cipherOf(NEXT, FORMER));
    const { rows } = await pool.query<{ table: string; column: string }>(
      `select table_name as table, column_name as column from information_schema.columns
        where table_schema = 'public' and (column_name like '%\\_sealed' or column_name = 'key_check')`,
    );
    expect(rows.length).toBeGreaterThan(7);
    const { currentPrefix: current } = await cipherOf(NEXT);
    for (const { table, column } of rows) {
      const remaining = await pool.query(`select 1 from ${table} where not starts_with(${column}, $1)`, [current]);
      expect([table, column, remaining.rowCount]).toEqual([table, column, 0]);
    }
  });

  it('loses no value entered meanwhile on a server with the former key', async () => {
    const both = await cipherOf(NEXT, FORMER);
    const former = await cipherOf(FORMER, NEXT);
    const [first] = await stored();
    const id = first?.id ?? 0;
    const server = await pool.connect();
    await server.query('begin');
    const entered = former.encryptSecret('entered', place(id));
    await server.query('update company_llms set api_key_sealed = $2 where id = $1', [id, entered]);
    const rekeyed = rekey(pool, both);
    const waits = 'select 1 from pg_locks where not granted and locktype = $1';
    while ((await pool.query(waits, ['transactionid'])).rowCount === 0);
    await server.query('commit');
    server.release();
    expect(await rekeyed).toEqual({ reencrypted: 10, unreadable: [] });
    const [now] = await stored();
    expect(now?.sealed.startsWith(both.currentPrefix)).toBe(true);
    expect(both.decryptSecret(now?.sealed ?? '', place(id))).toBe('entered');
  });

  it('resumes rekeying where it was stopped', async () => {
    const both = await cipherOf(NEXT, FORMER);
    let remaining = 5;
    const killed: SecretCipher = {
      ...both,
      get currentPrefix() {
        if (remaining-- === 0) throw new Error('killed');
        return both.currentPrefix;
      },
    };
    await expect(rekey(pool, killed, 2)).rejects.toThrow('killed');
    const { reencrypted: sealed } = await rekey(pool, both);
    expect(sealed).toBeGreaterThan(0);
    expect(sealed).toBeLessThan(10);
    expect((await stored()).every((one) => one.sealed.startsWith(both.currentPrefix))).toBe(true);
  });

  it('reports values that no known key decrypts and leaves them', async () => {
    const [first] = await stored();
    await pool.query("update company_llms set api_key_sealed = 'v2.unknown0.a.b.c' where id = $1", [first?.id]);
    expect(await rekey(pool, await cipherOf(NEXT, FORMER))).toEqual({
      reencrypted: 9,
      unreadable: [place(first?.id ?? 0)],
    });
    expect((await stored())[0]?.sealed).toBe('v2.unknown0.a.b.c');
  });

  it('keeps the hashes of an installation of 1.0.0', async () => {
    await pool.query('update installation set hash_key_sealed = null');
    const hash = (await cipherOf(FORMER)).hash('x');
    await pool.query('update installation set hash_key_sealed = null');
    expect((await cipherOf(NEXT, FORMER)).hash('x').equals(hash)).toBe(true);
  });
});
