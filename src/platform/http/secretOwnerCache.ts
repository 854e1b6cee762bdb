/**
 * Cache of the owners of secrets, asked before anything else of a request is read. Known owners are cached, and for a
 * shorter time unknown secrets too. All other secrets are looked up together, one statement at a time, so however many
 * are invented, the database has one small query to answer.
 */
import { batchWrites } from '../batchWrites.ts';
import { commonRefusals, refuse } from '../refuse.ts';

/**
 * Milliseconds that an owner is cached. It may be long, because a handler that changes something asks the database
 * again.
 */
const REMEMBER_MS = 60_000;
/** Milliseconds that an unknown secret is cached. Secrets are random: an unknown one will not become valid. */
const REMEMBER_UNKNOWN_MS = 10_000;
const MAX_REMEMBERED = 10_000;
/** Number of secrets in one statement. */
const MAX_BATCH = 100;
const RETRY_SECONDS = 2;

export interface SecretOwnerCache<Owner> {
  /** Return the cached owner; undefined if it has to be looked up. */
  findCached(hash: Buffer): Owner | null | undefined;
  /** Return the owner; null if the secret has none. */
  find(hash: Buffer): Promise<Owner | null>;
}

interface CacheOptions<Owner> {
  /** Look up the owners of these hashes, in the same order; null for a hash without one. */
  readonly lookUp: (hashes: readonly Buffer[]) => Promise<readonly (Owner | null)[]>;
  /** Milliseconds that a lookup may wait for those before it. */
  readonly timeoutMs: number;
}

export function createSecretOwnerCache<Owner>({ lookUp, timeoutMs }: CacheOptions<Owner>): SecretOwnerCache<Owner> {
  const owners = new Map<string, { readonly owner: Owner; readonly until: number }>();
  const unknownUntil = new Map<string, number>();
  const lookUpBatched = batchWrites(lookUp, MAX_BATCH, {
    // Hashes are well-formed, so none of them can fail the others.
    isFatal: () => true,
    timeoutMs,
    onTimeout: () => refuse(commonRefusals, 'overloaded', { retryAfter: RETRY_SECONDS }),
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

/** Delete the oldest entry if the map is full. A map keeps the order of insertion. */
function forgetOldest(map: Map<string, unknown>): void {
  if (map.size < MAX_REMEMBERED) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
