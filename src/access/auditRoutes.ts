/** Routes of the audit log. */
import { Readable } from 'node:stream';
import type pg from 'pg';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import { type Listing, readIdRange, readList } from '../platform/http/listQuery.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { type AuditEntry, audit, exportAudit, readAuditEntry, readAuditWords } from './auditContract.ts';
import { AUDIT_LISTING, distinctWords, findAuditEntry, findLastAuditId } from './store/audit.ts';

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
        return findLastAuditId(tx);
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
      const entry = await findAuditEntry(pool, params.id);
      if (!entry) throw refuse(commonRefusals, 'not_found', { noun: 'entry' });
      return ok(200, entry);
    }),
  ];
}
