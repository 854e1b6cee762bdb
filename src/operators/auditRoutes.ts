/** The audit trail, searched. Every filter has an index of its own beside the newest first. */
import type pg from 'pg';
import type { Ground } from '../platform/ground.ts';
import { type Listing, readList } from '../platform/http/listQuery.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { prepared } from '../platform/statements.ts';
import { type AuditEntry, audit, readAuditEntry, readAuditWords } from './auditContract.ts';

/** The words of the index `audit_words`; with others it no longer serves. */
/** What one request did to many rows. */
const SAME = 'o.request_id = t.request_id and o.noun = t.noun and o.action = t.action';
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
  extras: {
    same: `case when t.request_id is null then 1 else (select count(*) from audit o where ${SAME}) end`,
  },
  conditions: {
    grouped: `(false = $ or not exists (select 1 from audit o where ${SAME} and o.id > t.id))`,
  },
  search: [],
  // The last word may be one that is still being typed.
  finds: `${WORDS} @@ (nullif(plainto_tsquery('simple', $)::text, '') || ':*')::tsquery`,
  within: null,
  id: 't.id',
};

/** Jumps from word to word in an index: its cost follows how many there are and not how many entries. */
const distinct = (column: string) => `
  with recursive found(word) as (
    (select ${column} from audit order by ${column} limit 1)
    union all
    select (select a.${column} from audit a where a.${column} > f.word order by a.${column} limit 1) from found f
     where f.word is not null)
  select word from found where word is not null limit 500`;

async function wordsOf(pool: pg.Pool, column: 'action' | 'noun'): Promise<string[]> {
  const { rows } = await pool.query<{ word: string }>(prepared(distinct(column)));
  return rows.map(({ word }) => word);
}

const ONE = `select ${Object.entries(AUDIT_LISTING.select)
  .map(([field, expression]) => `${expression} as ${field}`)
  .join(', ')}, t.before, t.after from audit t where t.id = $1`;

export function auditRoutes({ pool }: Ground): Route[] {
  return [
    route(readAuditWords, async () => {
      const [actions, nouns] = await Promise.all([wordsOf(pool, 'action'), wordsOf(pool, 'noun')]);
      return ok(200, { actions, nouns });
    }),
    route(audit.list, async ({ query }) => {
      const { page, limit } = query;
      return ok(200, { ...(await readList<AuditEntry>(pool, AUDIT_LISTING, query, null)), page, limit });
    }),
    route(readAuditEntry, async ({ params }) => {
      const { rows } = await pool.query<AuditEntry & { before: unknown; after: unknown }>({
        ...prepared(ONE),
        values: [params.id],
      });
      const [entry] = rows;
      if (!entry) throw refuse(commonRefusals, 'not_found', { noun: 'entry' });
      return ok(200, entry);
    }),
  ];
}
