/** The installation's mode and secret key, both decided once. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { type Config, ConfigError, isLoopback, type Mode } from './config.ts';
import { createSecretCipher, firstHashKey, MIN_KEY_LENGTH, type SecretCipher } from './secretCipher.ts';

const KEY_CHECK_LOCATION = 'installation.key_check.1';
const HASH_KEY_LOCATION = 'installation.hash_key_sealed.1';
const CHECK_VALUE = 'rapport';

/** Return the mode that the database stores; set it from the environment in a new database. */
export async function resolveMode(pool: pg.Pool, config: Config): Promise<Mode> {
  const configuredMode: Mode =
    config.sandbox === null
      ? config.databaseUrl
        ? 'production'
        : 'sandbox'
      : config.sandbox === 'off'
        ? 'production'
        : 'sandbox';
  const { rows } = await pool.query<{ mode: Mode | null }>('select mode from installation where id = 1');
  const mode = rows[0]?.mode ?? configuredMode;
  if (config.sandbox !== null && mode !== configuredMode) {
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
  // Write the mode only after all checks: the mode of a database never changes again.
  const { rowCount } = await pool.query('update installation set mode = $1 where id = 1 and mode is null', [mode]);
  return rowCount === 1 ? mode : resolveMode(pool, config);
}

/**
 * Read the secret key from the environment, else from the data directory, where a new embedded installation creates it.
 */
function readSecretKey(config: Config, mayCreate: boolean): string {
  if (config.secretKey !== null) return config.secretKey;
  const file = join(config.dataDir, 'secret.key');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  if (config.databaseUrl !== null) {
    throw new ConfigError(
      'RAPPORT_SECRET_KEY is required with DATABASE_URL (32 characters or more, kept safe and backed up).',
    );
  }
  if (!mayCreate)
    throw new ConfigError(
      `The secret key ${file} is missing; without it the stored secrets cannot be read. Put it back.`,
    );
  const newKey = randomBytes(32).toString('base64url');
  writeFileSync(file, `${newKey}\n`, { mode: 0o600, flag: 'wx' });
  return newKey;
}

/** Read all known secret keys, the current one first. */
export function readSecretKeys(config: Config, mayCreate = false): readonly [string, ...string[]] {
  const keys: [string, ...string[]] = [readSecretKey(config, mayCreate), ...config.otherSecretKeys];
  if (keys.some((key) => key.length < MIN_KEY_LENGTH))
    throw new ConfigError(`RAPPORT_SECRET_KEY needs at least ${MIN_KEY_LENGTH} characters.`);
  return keys;
}

/** Open the secret cipher. Refuses to start when none of the keys belongs to this installation. */
export async function openSecretCipher(pool: pg.Pool, config: Config): Promise<SecretCipher> {
  const { rows } = await pool.query<{ key_check: string | null; hash_key_sealed: string | null }>(
    'select key_check, hash_key_sealed from installation where id = 1',
  );
  const stored = rows[0]?.key_check ?? null;
  const [key, ...others] = readSecretKeys(config, stored === null);
  const cipher = createSecretCipher(key, { others });
  if (stored === null) {
    const { rowCount } = await pool.query(
      'update installation set key_check = $1, hash_key_sealed = $2 where id = 1 and key_check is null',
      [
        cipher.encryptSecret(CHECK_VALUE, KEY_CHECK_LOCATION),
        cipher.encryptSecret(firstHashKey(key).toString('base64url'), HASH_KEY_LOCATION),
      ],
    );
    // Another server has stored its check first; its key has to be the same as ours.
    return rowCount === 1 ? cipher : openSecretCipher(pool, config);
  }
  const originalKey = [key, ...others].find((one) => canDecrypt(createSecretCipher(one), stored));
  if (originalKey === undefined)
    throw new ConfigError('The secret key is not the one that this database was made with.');
  const encryptedHashKey = rows[0]?.hash_key_sealed ?? null;
  if (encryptedHashKey === null) {
    // The installation was created by 1.0.0, which derived the hash key from its secret key.
    await pool.query('update installation set hash_key_sealed = $1 where id = 1 and hash_key_sealed is null', [
      cipher.encryptSecret(firstHashKey(originalKey).toString('base64url'), HASH_KEY_LOCATION),
    ]);
    return openSecretCipher(pool, config);
  }
  return createSecretCipher(key, {
    others,
    hashKey: Buffer.from(cipher.decryptSecret(encryptedHashKey, HASH_KEY_LOCATION), 'base64url'),
  });
}

function canDecrypt(cipher: SecretCipher, stored: string): boolean {
  try {
    return cipher.decryptSecret(stored, KEY_CHECK_LOCATION) === CHECK_VALUE;
  } catch {
    // The authentication tag does not match: another key.
    return false;
  }
}
