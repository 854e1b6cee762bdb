import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../testing/world.ts';
import { ensureAccount } from './account.ts';
import { findBinaries } from './binaries.ts';

const OPS = join(import.meta.dirname, '../../../ops');
const folder = mkdtempSync(join(tmpdir(), 'rapport-tls-'));
const undo: (() => unknown)[] = [];
let port: number;

/** PostgreSQL with the certificate and the access rules of ops/compose. */
beforeAll(async () => {
  chmodSync(folder, 0o755);
  undo.push(() => rmSync(folder, { recursive: true }));
  for (const [name, host] of [
    ['ours', 'localhost'],
    ['other', 'localhost'],
  ] as const) {
    mkdirSync(join(folder, name));
    execFileSync('sh', [join(OPS, 'database-certificate.sh'), join(folder, name), host]);
    chmodSync(join(folder, name), 0o755);
  }
  const isRoot = process.getuid?.() === 0;
  const account = isRoot
    ? ensureAccount()
    : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, switched: false };
  const binaries = findBinaries(account);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(folder, 'password'), 'secret', { mode: 0o644 });
  chownSync(data, account.uid, account.gid);
  const options = { uid: account.uid, gid: account.gid, cwd: '/', env: { LC_ALL: 'C' } };
  const initdb = ['-D', data, '-U', 'rapport', '--auth=scram-sha-256', `--pwfile=${join(folder, 'password')}`];
  execFileSync(binaries.initdb, initdb, options);
  for (const [from, to] of [
    [join(folder, 'ours/database_tls_key'), 'key'],
    [join(folder, 'ours/database_certificate'), 'certificate'],
    [join(OPS, 'compose/postgres/pg_hba.conf'), 'rules'],
  ] as const) {
    copyFileSync(from, join(data, to));
    chownSync(join(data, to), account.uid, account.gid);
    chmodSync(join(data, to), 0o600);
  }
  port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: data,
    ssl: 'on',
    ssl_cert_file: 'certificate',
    ssl_key_file: 'key',
    hba_file: join(data, 'rules'),
  };
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(binaries.postgres, ['-D', data, ...words], { ...options, stdio: 'ignore' });
  undo.push(async () => {
    const exited = once(server, 'exit');
    server.kill('SIGQUIT');
    await exited;
  });
  for (let up = false; !up; )
    up = await connect(verified('ours')).then(
      () => true,
      (error: unknown) => {
        if (server.exitCode !== null) throw error;
        return false;
      },
    );
});

afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

const verified = (authority: string): string =>
  `sslmode=verify-full&sslrootcert=${encodeURIComponent(join(folder, authority, 'database_ca'))}`;

/** Report whether the connection is encrypted, as the server sees it. */
async function connect(words: string): Promise<boolean | undefined> {
  const client = new pg.Client({ connectionString: `postgres://rapport:secret@localhost:${port}/postgres?${words}` });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ ssl: boolean }>('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    return rows[0]?.ssl;
  } finally {
    await client.end();
  }
}

describe('between nodes and database', () => {
  it('connects by TLS to a server with our certificate', async () => {
    expect(await connect(verified('ours'))).toBe(true);
  });

  it('refuses connections without TLS', async () => {
    await expect(connect('sslmode=disable')).rejects.toThrow('no encryption');
  });

  it("refuses a server with another certificate or another host's", async () => {
    await expect(connect(verified('other'))).rejects.toThrow(/certificate|self-signed|signature/i);
    // Simulates a name that leads to a machine whose certificate is valid but names another host.
    const words = `sslmode=verify-full&sslrootcert=${encodeURIComponent(join(folder, 'ours/database_ca'))}`;
    const client = new pg.Client({ connectionString: `postgres://rapport:secret@127.0.0.1:${port}/postgres?${words}` });
    await expect(client.connect()).rejects.toThrow(/altnames|does not match/i);
  });

  it('keeps no key of the authority, and reuses existing certificates', () => {
    const before = readFileSync(join(folder, 'ours/database_certificate'), 'utf8');
    execFileSync('sh', [join(OPS, 'database-certificate.sh'), join(folder, 'ours'), 'localhost']);
    expect(readFileSync(join(folder, 'ours/database_certificate'), 'utf8')).toBe(before);
    expect(
      execFileSync('ls', [join(folder, 'ours')], { encoding: 'utf8' })
        .trim()
        .split('\n'),
    ).toEqual(['database_ca', 'database_certificate', 'database_tls_key']);
  });
});
