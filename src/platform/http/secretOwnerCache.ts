/**
 * Whose a secret is, asked before anything else of a request is read. What was found is remembered; so is, for a while,
 * what was not. The others are looked up together, one statement at a time, so that however many are invented the database
 * has one small question to answer.
 */
import { batchWrites } from '../batchWrites.ts';
import { commonRefusals, refuse } from '../refuse.ts';

/** A handler that changes something asks the database again, so that this may be long. */
const REMEMBER_MS = 60_000;
/** Secrets are random: one that is nobody's now will not be somebody's. */
const REMEMBER_UNKNOWN_MS = 10_000;
const MAX_REMEMBERED = 10_000;
/** Secrets in one statement. */
const MAX_BATCH = 100;
const RETRY_SECONDS = 2;

export interface SecretOwnerCache<Owner> {
  /** The owner as far as it is remembered; undefined: it has to be looked up. */
  findCached(hash: Buffer): Owner | null | undefined;
  /** The owner; null: the secret is nobody's. */
  find(hash: Buffer): Promise<Owner | null>;
}

interface CacheOptions<Owner> {
  /** The owners of these secrets by their hashes, in their order; null where there is none. */
  readonly lookUp: (hashes: readonly Buffer[]) => Promise<readonly (Owner | null)[]>;
  /** How long somebody may wait for the look-ups before his own. */
  readonly timeoutMs: number;
}

export function createSecretOwnerCache<Owner>({ lookUp, timeoutMs }: CacheOptions<Owner>): SecretOwnerCache<Owner> {
  const owners = new Map<string, { readonly owner: Owner; readonly until: number }>();
  const unknownUntil = new Map<string, number>();
  const lookUpBatched = batchWrites(lookUp, MAX_BATCH, {
    // A hash is a hash: none of them harms the others.
    isFatal: () => true,
    timeoutMs,
    onTimeout: () => refuse(commonRefusals, 'overloaded', {}, RETRY_SECONDS),
  });

  function findCached(key: string): Owner | null | undefined {
    const now = performance.now();
    const entry = owners.get(key);
    if (entry && entry.until > now) return entry.owner;
    return (unknownUntil.get(key) ?? 0) > now ? null : undefined;
  }

  return {
    findCached: (hash) => findCached(hash.toString('base64')),
    async find(hash) {
      const key = hash.toString('base64');
      const cached = findCached(key);
      if (cached !== undefined) return cached;
      const owner = await lookUpBatched(hash);
      const now = performance.now();
      if (owner === null) {
        forgetOldest(unknownUntil);
        unknownUntil.set(key, now + REMEMBER_UNKNOWN_MS);
      } else {
        unknownUntil.delete(key);
        forgetOldest(owners);
        owners.set(key, { owner, until: now + REMEMBER_MS });
      }
      return owner;
    },
  };
}

/** Makes room for one more: a map keeps the order in which its keys came. */
function forgetOldest(map: Map<string, unknown>): void {
  if (map.size < MAX_REMEMBERED) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
