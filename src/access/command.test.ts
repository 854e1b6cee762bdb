import { spawn } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPILE_CACHE_DIR } from '../testing/compileCache.ts';
import { freshDatabase } from '../testing/postgres.ts';
import { verifyPassword } from './password.ts';

let url: string;
let drop: () => Promise<void>;
let pool: pg.Pool;

beforeAll(async () => {
  const database = await freshDatabase();
  ({ url, drop } = database);
  pool = new pg.Pool({ connectionString: url, max: 2 });
  await pool.query("insert into companies (name) values ('One'), ('Two')");
});
afterAll(async () => {
  await pool.end();
  await drop();
});

/** Run the command with lines on its standard input. */
function run(args: string[], typed = '', env: Record<string, string> = { DATABASE_URL: url }) {
  return new Promise<{ code: number | null; out: string; err: string }>((resolve, reject) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'command.ts'), ...args], {
      env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE_DIR, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
    child.stdin.end(typed);
  });
}

interface Row {
  login: string;
  role: string;
  is_active: boolean;
  password_hash: string;
  companies: string;
}
const rowOf = async (login: string): Promise<Row | undefined> =>
  (
    await pool.query<Row>(
      `select o.*, (select string_agg(company_id::text, ',' order by company_id) from operator_companies where operator_id = o.id) as companies
         from operators o where login = $1`,
      [login],
    )
  ).rows[0];

const mustChange = async (login: string): Promise<unknown> =>
  (await pool.query('select must_change_password as must from operators where login = $1', [login])).rows[0]?.must;

describe('npm run operator', () => {
  it('adds an admin with the password from standard input', async () => {
    expect(await run(['add', 'anna'], 'a long password\n')).toEqual({
      code: 0,
      out: 'anna can sign in.\n',
      err: '',
    });
    // The first operator is created by the person who sets the installation up; later ones are given a password.
    expect(await mustChange('anna')).toBe(false);
    const row = await rowOf('anna');
    expect(row).toMatchObject({ role: 'admin', is_active: true, companies: null });
    expect(await verifyPassword('a long password', row?.password_hash ?? '')).toBe(true);
  });

  it('adds members of companies', async () => {
    expect((await run(['add', 'boris', '--member', '1', '--member', '2'], 'a long password')).code).toBe(0);
    expect(await rowOf('boris')).toMatchObject({ role: 'member', companies: '1,2' });
    expect(await mustChange('boris')).toBe(true);
  });

  it('lists operators, changes passwords and disables an operator', async () => {
    await run(['add', 'carla', '--member', '2'], 'a long password');
    const { rows } = await pool.query<{ id: string }>("select id from operators where login = 'carla'");
    const id = rows[0]?.id;
    await pool.query("insert into sessions (token_hash, operator_id) values ('\\x00', $1)", [id]);
    expect(await run(['passwd', 'carla'], 'another password')).toMatchObject({ code: 0, err: '' });
    expect(await verifyPassword('another password', (await rowOf('carla'))?.password_hash ?? '')).toBe(true);
    expect((await pool.query('select 1 from sessions where operator_id = $1', [id])).rows).toEqual([]);
    expect(await run(['disable', 'carla'])).toEqual({ code: 0, out: 'carla can no longer sign in.\n', err: '' });
    const { out } = await run(['list']);
    expect(out.split('\n')).toContain(`${id}\tcarla\tmember of 2\tdisabled`);
    expect(out).not.toContain('argon2');
  });

  it.each([
    ['a short password', ['add', 'dora'], 'short', 'The password needs at least 10 characters.'],
    ['no password', ['add', 'dora'], '', 'Type the password, or give it on standard input.'],
    ['a common password', ['add', 'dora'], 'Password1234', 'This password is too common. Choose another one.'],
    [
      'a login with a character that is not seen',
      ['add', 'do\u200bra'],
      'a long password',
      'Use only characters that can be seen: a login must not pass for another one.',
    ],
    ['a login that is taken', ['add', 'ANNA'], 'a long password', 'An operator ANNA already exists.'],
    ['an unknown login', ['passwd', 'nobody'], 'a long password', 'There is no operator nobody.'],
    ['an unknown login', ['disable', 'nobody'], '', 'There is no operator nobody.'],
    ['an unknown company', ['add', 'dora', '--member', '99'], 'a long password', 'There is no such company among 99.'],
  ])('explains the error of %s: %s', async (_name, args, typed, sentence) => {
    expect(await run(args, typed)).toEqual({ code: 1, out: '', err: `${sentence}\n` });
    expect(await rowOf('dora')).toBeUndefined();
  });

  it('prints the usage for unknown arguments', async () => {
    const lines = [
      [],
      ['add'],
      ['add', ''],
      ['add', '--member', '1'],
      ['remove', 'anna'],
      ['add', 'dora', '--admin'],
      ['add', 'dora', '--member'],
      ['add', 'dora', '--member', 'x'],
    ];
    const answers = await Promise.all(lines.map((args) => run(args, 'a long password')));
    for (const [index, { code, err }] of answers.entries())
      expect([lines[index], code, err.startsWith('Usage: npm run operator -- add LOGIN')]).toEqual([
        lines[index],
        1,
        true,
      ]);
  });

  it('says that the server must be running when no database is reachable', async () => {
    const { code, err } = await run(['list'], '', { RAPPORT_DATA_DIR: join(import.meta.dirname, 'no such folder') });
    expect([code, err]).toEqual([1, 'The server is not running: start it first, or give DATABASE_URL.\n']);
  });
});
