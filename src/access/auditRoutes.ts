/** Search in the audit log. Every filter has an index of its own, sorted by newest first. */
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import type pg from 'pg';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import { type Listing, readIdRange, readList } from '../platform/http/listQuery.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { prepared } from '../platform/statements.ts';
import { type AuditEntry, audit, exportAudit, readAuditEntry, readAuditWords } from './auditContract.ts';

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

async function distinctWords(pool: pg.Pool, column: 'action' | 'noun'): Promise<string[]> {
  const { rows } = await pool.query<{ word: string }>(prepared(distinctQuery(column)));
  return rows.map(({ word }) => word);
}

const ENTRY_QUERY = `select ${Object.entries(AUDIT_LISTING.select)
  .map(([field, expression]) => `${expression} as ${field}`)
  .join(', ')}, t.before, t.after from audit t where t.id = $1`;

const EXPORT_LISTING: Listing = {
  ...AUDIT_LISTING,
  select: { ...AUDIT_LISTING.select, before: 't.before', after: 't.after' },
};
const EXPORT_BATCH = 200;

/**
 * Read each batch when the one before has been taken, so that neither the whole log nor a transaction is held
 * meanwhile.
 */
async function* exportLines(
  pool: pg.Pool,
  query: Record<string, unknown>,
  { upTo, requireStill }: { upTo: number; requireStill: () => Promise<void> },
): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    // A download may take long. An operator who loses access to the log receives no more of it.
    await requireStill();
    const rows = await readIdRange<AuditEntry>(pool, {
      listing: EXPORT_LISTING,
      query,
      range: { after, upTo, limit: EXPORT_BATCH },
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    after = last.id;
  }
}

export function auditRoutes(context: AppContext): Route[] {
  const { pool } = context;
  return [
    route(exportAudit, async ({ query, caller, requestId, reply, requireStill }) => {
      // The export's own entry is the last one that it may contain.
      const upTo = await context.transact(async (tx) => {
        await recordAuditEntry(tx, {
          caller,
          action: 'exported',
          noun: 'audit_entry',
          rowId: null,
          after: query,
          requestId,
        });
        const { rows } = await sql<{ id: number }>`select max(id) as id from audit`.execute(tx);
        return rows[0]?.id ?? 0;
      });
      await reply
        .header('cache-control', 'no-store')
        .header('content-disposition', 'attachment; filename="audit-log.ndjson"')
        .type(`${exportAudit.media}; charset=utf-8`)
        .send(Readable.from(exportLines(pool, query, { upTo, requireStill })));
      return 'answered';
    }),
    route(readAuditWords, async () => {
      const [actions, resources] = await Promise.all([distinctWords(pool, 'action'), distinctWords(pool, 'noun')]);
      return ok(200, { actions, nouns: resources });
    }),
    route(audit.list, async ({ query }) => {
      const { page, limit } = query;
      return ok(200, {
        ...(await readList<AuditEntry>(pool, { listing: AUDIT_LISTING, query, companies: null })),
        page,
        limit,
      });
    }),
    route(readAuditEntry, async ({ params }) => {
      const { rows } = await pool.query<AuditEntry & { before: unknown; after: unknown }>({
        ...prepared(ENTRY_QUERY),
        values: [params.id],
      });
      const [entry] = rows;
      if (!entry) throw refuse(commonRefusals, 'not_found', { noun: 'entry' });
      return ok(200, entry);
    }),
  ];
}
