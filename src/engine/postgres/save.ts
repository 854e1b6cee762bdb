/** Saves what has happened to conversations: the columns that changed, of all rows in one statement. */
import { type RawBuilder, sql } from 'kysely';
import { makePlansDue } from '../../leads/store/plans.ts';
import type { Tx } from '../../platform/db.ts';
import { takeNotifications } from '../../platform/notifications.ts';
import { idList } from '../../platform/statements.ts';
import type { Fact } from '../rules/conversation.ts';
import { COLUMNS, toStored } from './columns.ts';

type Table = keyof typeof COLUMNS;

/** Columns of rows that changed, by the rows' ids. Instants are milliseconds since 1970. */
export type RowChanges = Map<number, Readonly<Record<string, unknown>>>;

export interface Changes {
  readonly messages: RowChanges;
  readonly dialogues: RowChanges;
}

/** Collect what facts of a dialogue change. */
export function collectChanges(changes: Changes, dialogueId: number, facts: readonly Fact[]): void {
  for (const { message, changes: columns, dialogue } of facts) {
    mergeInto(changes.messages, message, columns);
    mergeInto(changes.dialogues, dialogueId, dialogue);
  }
}

export function mergeInto(rows: RowChanges, id: number, columns: Readonly<Record<string, unknown>>): void {
  if (Object.keys(columns).length > 0) rows.set(id, { ...rows.get(id), ...columns });
}

/** Parts of a `with` clause, each with its name. */
export type NamedQueries = readonly (readonly [name: string, query: RawBuilder<unknown>])[];

export interface SaveOptions {
  /** Leads whose plans are to be evaluated. */
  readonly leadIds?: readonly number[];
  /** What is stored with it, and knows nothing of the domain. */
  readonly more?: NamedQueries;
}

/** Save changes of locked rows in one statement, and send the notifications of the transaction. */
export async function saveChanges(
  tx: Tx,
  changes: Changes,
  { leadIds = [], more = [] }: SaveOptions = {},
): Promise<void> {
  const queries: NamedQueries = [
    ...updates('messages', changes.messages),
    ...updates('dialogues', changes.dialogues),
    ...(leadIds.length === 0 ? [] : [['planned', makePlansDue(leadIds)] as const]),
    ...more,
  ];
  if (queries.length === 0) return;
  const named = queries.map(([name, query]) => sql`${sql.raw(name)} as (${query})`);
  await sql`
    with ${sql.join(named)}, notified as (${takeNotifications(tx)})
    select count(*) as notified from notified`.execute(tx);
}

/** Rows with the same changed columns are updated together. */
function updates(table: Table, rows: RowChanges): NamedQueries {
  const types: Readonly<Record<string, string>> = COLUMNS[table];
  const groups = Map.groupBy(rows, ([, columns]) => Object.keys(columns).sort().join());
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, group], index) => {
      const names = key.split(',');
      const typed = names.map((name) => `${name} ${types[name]}`).join(', ');
      const set = names.map((name) => `${name} = g.${name}`).join(', ');
      const values = group.map(([id, columns]) => ({ id, ...toRow(columns, types) }));
      const query = sql`
      update ${sql.table(table)} t set ${sql.raw(set)}
        from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as g (id bigint, ${sql.raw(typed)})
       where t.id = g.id and t.id = any(${idList(group.map(([id]) => id))})`;
      return [`${table}_${index}`, query] as const;
    });
}

function toRow(columns: Readonly<Record<string, unknown>>, types: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) => {
      if (!(name in types)) throw new Error(`No column ${name} may change`);
      return [name, toStored(value, types[name], types)];
    }),
  );
}
