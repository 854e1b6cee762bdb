/**
 * Whose a secret is, asked before anything else of a request is read. What was found is remembered; so is, for a while,
 * what was not. The others are looked up together, one statement at a time, so that however many are invented the database
 * has one small question to answer.
 */
import { gather } from '../gather.ts';
import { commonRefusals, refuse } from '../refuse.ts';

/** A handler that changes something asks the database again, so that this may be long. */
const REMEMBER_MS = 60_000;
/** Secrets are random: one that is nobody's now will not be somebody's. */
const REMEMBER_UNKNOWN_MS = 10_000;
const MOST = 10_000;
/** Secrets in one statement. */
const TOGETHER = 100;
const RETRY_SECONDS = 2;

export interface KnownSecrets<Owner> {
  /** The owner as far as it is remembered; undefined: it has to be looked up. */
  recall(hash: Buffer): Owner | null | undefined;
  /** The owner; null: the secret is nobody's. */
  find(hash: Buffer): Promise<Owner | null>;
}

interface Options<Owner> {
  /** The owners of these secrets by their hashes, in their order; null where there is none. */
  readonly lookUp: (hashes: readonly Buffer[]) => Promise<readonly (Owner | null)[]>;
  /** How long somebody may wait for the look-ups before his own. */
  readonly patienceMs: number;
}

export function createKnownSecrets<Owner>({ lookUp, patienceMs }: Options<Owner>): KnownSecrets<Owner> {
  const known = new Map<string, { readonly owner: Owner; readonly until: number }>();
  const unknown = new Map<string, number>();
  const ask = gather(lookUp, TOGETHER, {
    // A hash is a hash: none of them harms the others.
    isHopeless: () => true,
    patienceMs,
    impatient: () => refuse(commonRefusals, 'overloaded', {}, RETRY_SECONDS),
  });

  function recall(key: string): Owner | null | undefined {
    const now = performance.now();
    const found = known.get(key);
    if (found && found.until > now) return found.owner;
    return (unknown.get(key) ?? 0) > now ? null : undefined;
  }

  return {
    recall: (hash) => recall(hash.toString('base64')),
    async find(hash) {
      const key = hash.toString('base64');
      const remembered = recall(key);
      if (remembered !== undefined) return remembered;
      const owner = await ask(hash);
      const now = performance.now();
      if (owner === null) {
        forgetOldest(unknown);
        unknown.set(key, now + REMEMBER_UNKNOWN_MS);
      } else {
        unknown.delete(key);
        forgetOldest(known);
        known.set(key, { owner, until: now + REMEMBER_MS });
      }
      return owner;
    },
  };
}

/** Makes room for one more: a map keeps the order in which its keys came. */
function forgetOldest(map: Map<string, unknown>): void {
  if (map.size < MOST) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
