import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, isLoopback, readConfig } from './config.ts';

const failure = (env: NodeJS.ProcessEnv): string => {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'none';
};

describe('the environment', () => {
  it('has a default for every setting', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://127.0.0.1:3000',
      hasPublicUrl: false,
      databaseUrl: null,
      sandbox: null,
      roles: ['web', 'worker'],
      trustProxy: false,
      secretKey: null,
      metricsToken: null,
      replyDebounceSeconds: 5,
      leaseSeconds: 16,
      strictReplies: false,
      limits: { hooks: 1000, calls: 256, streams: 4000 },
      databaseConnections: 8,
      databaseWaitSeconds: 5,
    });
  });

  it('treats an empty environment variable as unset', () => {
    const empty = [
      'HOST',
      'PORT',
      'DATABASE_URL',
      'RAPPORT_SANDBOX',
      'RAPPORT_ROLES',
      'RAPPORT_PUBLIC_URL',
      'RAPPORT_DATA_DIR',
    ];
    const { nodeName: _one, ...plain } = readConfig({});
    const { nodeName: _other, ...input } = readConfig(Object.fromEntries(empty.map((name) => [name, ''])));
    expect(input).toEqual(plain);
  });

  it('parses each setting into its type', () => {
    const config = readConfig({
      HOST: '::1',
      PORT: '8080',
      RAPPORT_ROLES: 'worker, worker',
      RAPPORT_LLM_HOSTS: 'llm.local, other.local:8000, [fd00::1]:11434, FD00:0::2,',
      RAPPORT_OUTBOUND_PORTS: '443, 8443',
      RAPPORT_TRUST_PROXY: 'on',
      RAPPORT_WAZZUP24_URL: 'https://wazzup.example/',
      RAPPORT_HEARTBEAT_SECONDS: '2',
    });
    expect(config).toMatchObject({
      publicUrl: 'http://[::1]:8080',
      roles: ['worker'],
      llmHosts: [
        'llm.local:443',
        'llm.local:80',
        'other.local:8000',
        '[fd00::1]:11434',
        '[fd00::2]:443',
        '[fd00::2]:80',
      ],
      outboundPorts: [443, 8443],
      trustProxy: 1,
      vendorUrls: { wazzup24: 'https://wazzup.example' },
      leaseSeconds: 8,
    });
  });

  it.each([
    [{ PORT: 'abc' }, 'PORT has to be a number from 0 to 65535, not "abc".'],
    [{ PORT: '65536' }, 'PORT has to be a number from 0 to 65535, not "65536".'],
    [
      { DATABASE_MIGRATIONS_URL: 'postgres://rapport_migrations@db/rapport' },
      'DATABASE_MIGRATIONS_URL needs DATABASE_URL: the same database, as the role of the app.',
    ],
    [{ PORT: '1.5' }, 'PORT has to be a whole number, not "1.5".'],
    [{ RAPPORT_SANDBOX: 'yes' }, 'RAPPORT_SANDBOX has to be one of on, off, public, not "yes".'],
    [{ RAPPORT_ROLES: 'web,cook' }, 'RAPPORT_ROLES knows web and worker, not "cook".'],
    [{ RAPPORT_PUBLIC_URL: 'rapport.example' }, 'RAPPORT_PUBLIC_URL has to be a URL, not "rapport.example".'],
    [
      { RAPPORT_PUBLIC_URL: 'https://rapport.example/console' },
      'RAPPORT_PUBLIC_URL has to be an origin, like https://rapport.example, not "https://rapport.example/console".',
    ],
    [
      { RAPPORT_PUBLIC_URL: 'ftp://rapport.example' },
      'RAPPORT_PUBLIC_URL has to begin with http:// or https://, not "ftp://rapport.example".',
    ],
    [
      { RAPPORT_LLM_HOSTS: 'http://llm.local:8000/v1' },
      'RAPPORT_LLM_HOSTS has to list hosts with their ports, like llm.local:8000, not "http://llm.local:8000/v1".',
    ],
    [{ RAPPORT_OUTBOUND_PORTS: 'any' }, 'RAPPORT_OUTBOUND_PORTS has to be a number from 1 to 65535, not "any".'],
    [{ HOST: '0.0.0.0' }, 'RAPPORT_PUBLIC_URL is required when HOST is 0.0.0.0: operators reach the console by it.'],
    [{ RAPPORT_CONCURRENCY: '0' }, 'RAPPORT_CONCURRENCY has to be a number from 1 to 200, not "0".'],
    [
      { RAPPORT_REPLY_DEBOUNCE_SECONDS: '-1' },
      'RAPPORT_REPLY_DEBOUNCE_SECONDS has to be a number from 0 to 3600, not "-1".',
    ],
  ])('explains an invalid setting in one sentence: %j', (env, sentence) => {
    expect(failure(env)).toBe(sentence);
  });

  describe('settings in files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rapport-config-'));
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    afterAll(() => rmSync(folder, { recursive: true }));

    it('reads a secret from a file', () => {
      const config = readConfig({
        RAPPORT_SECRET_KEY_FILE: file('key', 'a-key-of-32-characters-0123456789\n'),
        DATABASE_URL_FILE: file('url', 'postgres://rapport@db/rapport\n'),
        RAPPORT_METRICS_TOKEN_FILE: file('token', 'the-token'),
        RAPPORT_AMOCRM_CLIENT_ID: 'ours',
        RAPPORT_AMOCRM_CLIENT_SECRET_FILE: file('client', 'its-secret'),
      });
      expect(config).toMatchObject({
        secretKey: 'a-key-of-32-characters-0123456789',
        databaseUrl: 'postgres://rapport@db/rapport',
        metricsToken: 'the-token',
        amocrmClient: { id: 'ours', secret: 'its-secret' },
      });
    });

    it("requires the secret's file to exist, not to be empty, and not to be set twice", () => {
      const empty = file('empty', '\n');
      expect(failure({ DATABASE_URL_FILE: empty })).toBe(`The file of DATABASE_URL_FILE, ${empty}, is empty.`);
      expect(failure({ DATABASE_URL_FILE: '/nowhere' })).toBe(
        'The file of DATABASE_URL_FILE, /nowhere, cannot be read.',
      );
      expect(failure({ DATABASE_URL_FILE: empty, DATABASE_URL: 'postgres://x' })).toBe(
        'DATABASE_URL and DATABASE_URL_FILE exclude each other.',
      );
    });

    it('allows an empty file only for the other secret keys', () => {
      expect(readConfig({ RAPPORT_OTHER_SECRET_KEYS_FILE: file('none', '\n') }).otherSecretKeys).toEqual([]);
    });
  });

  it("recognizes the host's own names", () => {
    expect(['127.0.0.1', 'localhost', '::1', '[::1]'].every(isLoopback)).toBe(true);
    expect(['0.0.0.0', '10.0.0.1', 'localhost.example', ''].some(isLoopback)).toBe(false);
  });
});
