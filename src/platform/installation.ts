/** What this installation is: its mode and its secret key, both decided once. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { type Config, ConfigError, isLoopback, type Mode } from './config.ts';
import { createSeal, firstHashKey, MIN_KEY_LENGTH, type Seal } from './seal.ts';

const PLACE = 'installation.key_check.1';
const HASH_PLACE = 'installation.hash_key_sealed.1';
const WORD = 'rapport';

/** The mode that the database stores; a new database gets it from the environment. */
export async function settleMode(pool: pg.Pool, config: Config): Promise<Mode> {
  const wanted: Mode =
    config.sandbox === null
      ? config.databaseUrl
        ? 'production'
        : 'sandbox'
      : config.sandbox === 'off'
        ? 'production'
        : 'sandbox';
  const { rows } = await pool.query<{ mode: Mode | null }>('select mode from installation where id = 1');
  const mode = rows[0]?.mode ?? wanted;
  if (config.sandbox !== null && mode !== wanted) {
    throw new ConfigError(
      `This database is a ${mode} installation; RAPPORT_SANDBOX=${config.sandbox} does not fit it.`,
    );
  }
  if (mode === 'sandbox' && !isLoopback(config.host) && config.sandbox !== 'public') {
    throw new ConfigError(
      `The sandbox has a known password, so it listens on this machine only, not on ${config.host}. RAPPORT_SANDBOX=public lifts that.`,
    );
  }
  if (mode === 'production' && !config.publicUrl.startsWith('https://')) {
    throw new ConfigError('RAPPORT_PUBLIC_URL is required in production, and has to begin with https://.');
  }
  if (rows[0]?.mode) return mode;
  // Only what was not refused is written: the mode of a database never changes again.
  const { rowCount } = await pool.query('update installation set mode = $1 where id = 1 and mode is null', [mode]);
  return rowCount === 1 ? mode : settleMode(pool, config);
}

/** The secret key: from the environment, else from the data directory, where a new embedded installation makes it. */
function readSecretKey(config: Config, mayMake: boolean): string {
  if (config.secretKey !== null) return config.secretKey;
  const file = join(config.dataDir, 'secret.key');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  if (config.databaseUrl !== null) {
    throw new ConfigError(
      'RAPPORT_SECRET_KEY is required with DATABASE_URL (32 characters or more, kept safe and backed up).',
    );
  }
  if (!mayMake)
    throw new ConfigError(
      `The secret key ${file} is missing; without it the stored secrets cannot be read. Put it back.`,
    );
  const made = randomBytes(32).toString('base64url');
  writeFileSync(file, `${made}\n`, { mode: 0o600, flag: 'wx' });
  return made;
}

/** Every secret key that is known, the current one first. */
export function readSecretKeys(config: Config, mayMake = false): readonly [string, ...string[]] {
  const keys: [string, ...string[]] = [readSecretKey(config, mayMake), ...config.otherSecretKeys];
  if (keys.some((key) => key.length < MIN_KEY_LENGTH))
    throw new ConfigError(`RAPPORT_SECRET_KEY needs at least ${MIN_KEY_LENGTH} characters.`);
  return keys;
}

/** Opens the seal, and refuses keys none of which is this installation's. */
export async function openSeal(pool: pg.Pool, config: Config): Promise<Seal> {
  const { rows } = await pool.query<{ key_check: string | null; hash_key_sealed: string | null }>(
    'select key_check, hash_key_sealed from installation where id = 1',
  );
  const stored = rows[0]?.key_check ?? null;
  const [key, ...others] = readSecretKeys(config, stored === null);
  const seal = createSeal(key, { others });
  if (stored === null) {
    const { rowCount } = await pool.query(
      'update installation set key_check = $1, hash_key_sealed = $2 where id = 1 and key_check is null',
      [seal.close(WORD, PLACE), seal.close(firstHashKey(key).toString('base64url'), HASH_PLACE)],
    );
    // Another server was quicker; its key has to be ours.
    return rowCount === 1 ? seal : openSeal(pool, config);
  }
  const first = [key, ...others].find((one) => opens(createSeal(one), stored));
  if (first === undefined) throw new ConfigError('The secret key is not the one that this database was made with.');
  const sealed = rows[0]?.hash_key_sealed ?? null;
  if (sealed === null) {
    // Made by 1.0.0, whose hashes are under a key that follows from its secret key.
    await pool.query('update installation set hash_key_sealed = $1 where id = 1 and hash_key_sealed is null', [
      seal.close(firstHashKey(first).toString('base64url'), HASH_PLACE),
    ]);
    return openSeal(pool, config);
  }
  return createSeal(key, { others, hashKey: Buffer.from(seal.open(sealed, HASH_PLACE), 'base64url') });
}

function opens(seal: Seal, stored: string): boolean {
  try {
    return seal.open(stored, PLACE) === WORD;
  } catch {
    // The tag does not fit: another key.
    return false;
  }
}
