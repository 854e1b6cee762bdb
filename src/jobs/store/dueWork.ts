/** SQL that finds when work is due, and the one statement that asks for all sweeps. */
import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import type { AppContext } from '../../platform/appContext.ts';
import { prepared } from '../../platform/statements.ts';

/** Milliseconds until work is due, by SQL: negative or 0 is now; null means nothing in sight. Must be cheap. */
export type DueIn = RawBuilder<number | null>;

/** How far it looks ahead: longer than the time between two polls, so that their timers miss nothing. */
export const IN_SIGHT = sql.raw(`interval '2 seconds'`);

/** Due at once if the condition holds. */
export const dueIf = (condition: RawBuilder<unknown>): DueIn => sql<number | null>`case when ${condition} then 0 end`;

/** Milliseconds until an instant of the domain clock and one of the real clock have passed. Columns; null has passed. */
export const msUntil = (domainInstant: string, realInstant: string): DueIn =>
  sql<number | null>`greatest(extract(epoch from ${sql.ref(domainInstant)} - domain_now()),
                              extract(epoch from ${sql.ref(realInstant)} - clock_timestamp()))::float8 * 1000`;

/** Build the statement that reads all of `dueIns`, in one round trip. */
export function createDueQuery(
  { reader, pool }: Pick<AppContext, 'reader' | 'pool'>,
  dueIns: readonly DueIn[],
): () => Promise<readonly (number | null)[]> {
  // One row of them as an array: they need no names.
  const { sql: text, parameters } =
    sql`select array[${sql.join(dueIns.map((one) => sql`(${one})::float8`))}]::float8[] as due`.compile(reader);
  // With its values in the text, a connection plans it once [18 ms]; with parameters, six times.
  const statement = prepared(text.replaceAll(/\$(\d+)/g, (_all, place) => asLiteral(parameters[Number(place) - 1])));
  return async () => {
    const { rows } = await pool.query<{ due: (number | null)[] }>(statement);
    return rows[0]?.due ?? [];
  };
}

/** Return a value of the product's own as a literal. */
function asLiteral(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (Array.isArray(value) && value.length > 0) return `array[${value.map(asLiteral).join()}]`;
  throw new TypeError(`A poll for due work cannot have the value ${String(value)}`);
}
