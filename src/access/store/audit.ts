/** SQL of the audit log. Every filter has an index of its own, sorted by newest first. */
import { sql } from 'kysely';
import type pg from 'pg';
import type { Reader } from '../../platform/db.ts';
import type { Listing } from '../../platform/http/listQuery.ts';
import { prepared } from '../../platform/statements.ts';
import type { AuditEntry } from '../auditContract.ts';

/** Condition for entries that one request made in the same way. */
const SAME_REQUEST = 'o.request_id = t.request_id and o.noun = t.noun and o.action = t.action';
/** The expression of the index `audit_search`. With any other the index is not used. */
const WORDS = `(to_tsvector('simple', coalesce(t.before, '{}'::jsonb)) || to_tsvector('simple', coalesce(t.after, '{}'::jsonb)))`;

export const AUDIT_LISTING: Listing = {
  from: '(select a.*, a.at as created_at from audit a) t',
  select: {
    id: 't.id',
    at: 't.at',
    operator_id: 't.operator_id',
    operator: 't.operator',
    action: 't.action',
    noun: 't.noun',
    row_id: 't.row_id',
    company_id: 't.company_id',
    product_id: 't.product_id',
    request_id: 't.request_id',
    has_rows: '(t.before is not null or t.after is not null)',
    row_name: `coalesce(t.after->>'name', t.before->>'name', t.after->>'login', t.before->>'login')`,
  },
  optionalFields: {
    same: `case when t.request_id is null then 1 else (select count(*) from audit o where ${SAME_REQUEST}) end`,
  },
  conditions: {
    grouped: `(false = $ or not exists (select 1 from audit o where ${SAME_REQUEST} and o.id > t.id))`,
  },
  search: [],
  // The last word may still be incomplete while it is typed.
  searchCondition: `${WORDS} @@ (nullif(plainto_tsquery('simple', $)::text, '') || ':*')::tsquery`,
  scopeCondition: null,
  id: 't.id',
};

/** Jump from word to word in an index, so that the cost depends on the number of words, not of entries. */
const distinctQuery = (column: string) => `
  with recursive found(word) as (
    (select ${column} from audit order by ${column} limit 1)
    union all
    select (select a.${column} from audit a where a.${column} > f.word order by a.${column} limit 1) from found f
     where f.word is not null)
  select word from found where word is not null limit 500`;

/** List the words that occur in a column. */
export async function distinctWords(pool: pg.Pool, column: 'action' | 'noun'): Promise<string[]> {
  const { rows } = await pool.query<{ word: string }>(prepared(distinctQuery(column)));
  return rows.map(({ word }) => word);
}

const ENTRY_QUERY = `select ${Object.entries(AUDIT_LISTING.select)
  .map(([field, expression]) => `${expression} as ${field}`)
  .join(', ')}, t.before, t.after from audit t where t.id = $1`;

export async function findAuditEntry(
  pool: pg.Pool,
  id: number,
): Promise<(AuditEntry & { before: unknown; after: unknown }) | undefined> {
  const { rows } = await pool.query<AuditEntry & { before: unknown; after: unknown }>({
    ...prepared(ENTRY_QUERY),
    values: [id],
  });
  return rows[0];
}

export async function findLastAuditId(reader: Reader): Promise<number> {
  const { rows } = await sql<{ id: number }>`select max(id) as id from audit`.execute(reader);
  return rows[0]?.id ?? 0;
}
