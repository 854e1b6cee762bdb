/**
 * Secrets must never leave the product. Every world records its secrets and searches for them in all output: replies
 * and their headers, logs of any level, output of processes, prompts of models and, when it closes, every column of
 * every table (encrypted and hashed columns contain none in the clear). A world in which a secret was seen throws when
 * it closes.
 */
import { readFileSync } from 'node:fs';
import type pg from 'pg';

/** Part of every secret that tests choose. */
export const CANARY = 'c4n4ry';

export interface Canaries {
  /**
   * Record a secret that must not be seen from now on. Secrets too short to be distinguished from other words are
   * ignored.
   */
  addSecret(secret: string | null | undefined): void;
  /** Record the secrets of a request by their names: `api_key`, `password` and the like. */
  addSecretsFrom(body: unknown): void;
  /** Search a text for all secrets. */
  scan(where: string, text: string): void;
  /** Search every table. */
  scanDatabase(pool: pg.Pool): Promise<void>;
  /** Search the prompts of models, and record the hooks' secrets, which only the vendor and the sender know. */
  scanJournal(file: string): void;
  /** Return the secrets that were seen, and where. */
  leaks(): readonly string[];
}

/** Names of fields that carry secrets; in the contracts, `credentials.api_key` and `password`. */
const SECRET_NAMES = /^(?:api_?key|password|.*_secret|secret|.*_token)$/i;
const MIN_SECRET_LENGTH = 8;

export function createCanaries(): Canaries {
  const secrets = new Set([CANARY]);
  const leaks = new Set<string>();

  const canaries: Canaries = {
    addSecret(secret) {
      // A masked secret comes from a read.
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
        // The journal also contains the key of the request.
        canaries.scan('what a model was shown', line.replace(/"account":"[^"]*"/, ''));
      }
    },
    leaks: () => [...leaks],
  };
  return canaries;
}

/** A row's text shows bytes in hexadecimal, and nested JSON with doubled quotes. */
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
