/**
 * Secrets go in and never come out. Every world knows the secrets that go into it, and looks for them in all that comes
 * out: replies and their headers, logs of any level, what processes print, what models are shown, and, when it closes,
 * every column of every table (what is sealed or hashed holds none in the clear). A world in which one was seen does not
 * close without an error.
 */
import { readFileSync } from 'node:fs';
import type pg from 'pg';

/** Stands in every secret that tests choose for themselves. */
export const CANARY = 'c4n4ry';

export interface Canaries {
  /** This must not be seen from now on. What is too short to be told from other words is not looked for. */
  addSecret(secret: string | null | undefined): void;
  /** Hides what stands in a request under the name of a secret: `api_key`, `password` and their like. */
  addSecretsFrom(body: unknown): void;
  /** Looks for all secrets in a text. */
  scan(where: string, text: string): void;
  /** Looks in every table. */
  scanDatabase(pool: pg.Pool): Promise<void>;
  /** Looks in what models were shown, and hides the hooks' secrets, which only the vendor and the sender know. */
  scanJournal(file: string): void;
  /** What was seen, and where. */
  leaks(): readonly string[];
}

/** Names under which secrets are sent: by the contracts, `credentials.api_key` and `password`. */
const SECRET_NAMES = /^(?:api_?key|password|.*_secret|secret|.*_token)$/i;
const MIN_SECRET_LENGTH = 8;

export function createCanaries(): Canaries {
  const secrets = new Set([CANARY]);
  const leaks = new Set<string>();

  const canaries: Canaries = {
    addSecret(secret) {
      // A masked one is what a read gave.
      if (secret && secret.length >= MIN_SECRET_LENGTH && !secret.startsWith('…')) secrets.add(secret);
    },
    addSecretsFrom(body) {
      if (typeof body !== 'object' || body === null) return;
      for (const [name, value] of Object.entries(body)) {
        if (typeof value === 'string' && SECRET_NAMES.test(name)) canaries.addSecret(value);
        else canaries.addSecretsFrom(value);
      }
    },
    scan(where, text) {
      for (const secret of secrets)
        if (text.includes(secret)) leaks.add(`${secret} in ${where}: ${excerpt(text, secret)}`);
    },
    async scanDatabase(pool) {
      const { rows: tables } = await pool.query<{ name: string }>(TABLES);
      const { rows } = await pool.query<{ place: string; row: string }>(
        tables
          .map(
            ({ name }) =>
              `(select '${name}' as place, t::text as row from ${name} t where t::text like any ($1) limit 1)`,
          )
          .join(' union all '),
        [[...secrets].flatMap(patterns)],
      );
      for (const { place, row } of rows) leaks.add(`a secret in table ${place}: ${row.slice(0, 500)}`);
    },
    scanJournal(file) {
      for (const line of readFileSync(file, 'utf8').split('\n')) {
        if (line.includes('"kind":"webhooks"')) canaries.addSecret(/\/hooks\/\w+\/([\w-]+)/.exec(line)?.[1]);
        if (!line.includes('"kind":"completion"')) continue;
        // By whose key it was asked stands there too.
        canaries.scan('what a model was shown', line.replace(/"account":"[^"]*"/, ''));
      }
    },
    leaks: () => [...leaks],
  };
  return canaries;
}

/** A row's text shows bytes in hexadecimal, and JSON within it with its quotes doubled. */
function patterns(secret: string): string[] {
  const escaped = secret.replaceAll(/[\\%_]/g, '\\$&');
  return [`%${escaped}%`, `%${Buffer.from(secret).toString('hex')}%`];
}

const excerpt = (text: string, secret: string): string => {
  const at = text.indexOf(secret);
  return text.slice(Math.max(0, at - 80), at + secret.length + 40);
};

const TABLES = `
  select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%'
   order by 1`;
