/**
 * Leases: which instance works on a row. A claim holds while `claimed_until` lies ahead and its instance lives. Work that
 * takes longer renews it. A claim that nobody renews ends by itself, whether its instance died, hangs, or never got the
 * answer to its commit. All times are of the database's real clock.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from './db.ts';

/** Who claims, and how long a claim holds unless it is renewed. An `AppContext` is one. */
export interface Claimant {
  readonly instanceId: string;
  readonly config: { readonly leaseSeconds: number };
}

/** Rows that can be claimed, by the columns that identify one of them. */
export interface Claimable<Key extends object> {
  readonly table: string;
  readonly key: Readonly<Record<keyof Key, 'bigint' | 'text'>>;
  /** Its columns are `${prefix}_by` and `${prefix}_until`; by default `claimed`. */
  readonly prefix?: string;
}

const columns = (prefix: string) => ({ by: sql.ref(`${prefix}_by`), until: sql.ref(`${prefix}_until`) });

/** Condition: no live instance has claimed the row `t`. */
export function isUnclaimed(t: string, prefix = 'claimed'): RawBuilder<boolean> {
  const { by, until } = columns(`${t}.${prefix}`);
  return sql`(${by} is null or ${until} <= clock_timestamp()
    or not exists (select 1 from nodes n where n.instance_id = ${by} and n.ended_at is null))`;
}

const leaseEnd = ({ config }: Claimant) => sql`clock_timestamp() + make_interval(secs => ${config.leaseSeconds})`;

/** For `set`: claim the row. */
export function claim(claimant: Claimant, prefix = 'claimed'): RawBuilder<unknown> {
  const { by, until } = columns(prefix);
  return sql`${by} = ${claimant.instanceId}, ${until} = ${leaseEnd(claimant)}`;
}

/** For `set`: release the row. */
export function release(prefix = 'claimed'): RawBuilder<unknown> {
  const { by, until } = columns(prefix);
  return sql`${by} = null, ${until} = null`;
}

/** Claims that work goes on under. */
export interface Hold {
  /** Aborted when a renewal finds that the claim is not this instance's any more. */
  readonly signal: AbortSignal;
  readonly end: () => void;
}

/** The claims that this process works under. It renews them until the work ends. */
export interface Claims {
  /** Renew claims on rows from now on. The row is claimed before, and released before the end. */
  begin<Key extends object>(rows: Claimable<Key>, keys: readonly Key[]): Hold;
  /** Renew claims on rows while work runs. */
  hold<Key extends object, T>(
    rows: Claimable<Key>,
    keys: readonly Key[],
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  /** Whether work goes on under a claim on this row. */
  isHeld<Key extends object>(rows: Claimable<Key>, key: Key): boolean;
  /** Renew what has been held for so long that it must be. Call it `RENEWALS_PER_LEASE` times per lease. */
  renew(): Promise<void>;
}

/** Two renewals in a row may fail. */
export const RENEWALS_PER_LEASE = 4;

interface Claimed {
  readonly rows: Claimable<object>;
  readonly keys: readonly object[];
  readonly since: number;
  readonly lost: AbortController;
}

export function createClaims(context: Claimant & { readonly reader: Reader }): Claims {
  const all = new Set<Claimed>();
  const claims: Claims = {
    begin(rows, keys) {
      const one = { rows, keys, since: performance.now(), lost: new AbortController() };
      all.add(one);
      return { signal: one.lost.signal, end: () => void all.delete(one) };
    },
    async hold(rows, keys, work) {
      const { signal, end } = claims.begin(rows, keys);
      try {
        return await work(signal);
      } finally {
        end();
      }
    },
    isHeld(rows, key) {
      const name = JSON.stringify(key);
      return [...all].some((one) => one.rows === rows && one.keys.some((each) => JSON.stringify(each) === name));
    },
    async renew() {
      const before = performance.now() - (context.config.leaseSeconds * 1000) / RENEWALS_PER_LEASE;
      const old = [...all].filter(({ since }) => since <= before);
      for (const [rows, claimed] of Map.groupBy(old, (one) => one.rows)) {
        const ours = await renewClaims(context.reader, { rows, claimed, claimant: context });
        for (const [index, one] of claimed.entries()) if (!ours.has(index)) one.lost.abort();
      }
    },
  };
  return claims;
}

/**
 * Renew claims on rows of one table. A locked row is left to the next renewal: waiting for it could end in a deadlock.
 * Returns the indexes of those that are still this instance's.
 */
async function renewClaims(
  reader: Reader,
  { rows: { table, key, prefix = 'claimed' }, claimed, claimant }: RenewInput,
): Promise<ReadonlySet<number>> {
  const names = Object.keys(key);
  const { by, until } = columns(prefix);
  const keysOfAll = JSON.stringify(claimed.flatMap(({ keys }, index) => keys.map((one) => ({ ...one, index }))));
  const types = sql.raw(
    Object.entries<'bigint' | 'text'>(key)
      .map(([name, type]) => `${name} ${type}`)
      .join(', '),
  );
  const isSame = sql.join(
    names.map((name) => sql`t.${sql.ref(name)} = o.${sql.ref(name)}`),
    sql` and `,
  );
  const { rows } = await sql<{ index: number }>`
    with ours as materialized (
      select o.* from jsonb_to_recordset(${keysOfAll}::jsonb) as o (${types}, index int) join ${sql.table(table)} t on ${isSame}
       where t.${by} = ${claimant.instanceId}
    ), unlocked as materialized (
      select t.* from ours o join ${sql.table(table)} t on ${isSame} where t.${by} = ${claimant.instanceId}
         for no key update of t skip locked
    ), renewed as (
      update ${sql.table(table)} t set ${until} = ${leaseEnd(claimant)} from unlocked o where ${isSame}
    )
    select index from ours`.execute(reader);
  return new Set(rows.map(({ index }) => index));
}

interface RenewInput {
  readonly rows: Claimable<object>;
  readonly claimed: readonly Claimed[];
  readonly claimant: Claimant;
}
