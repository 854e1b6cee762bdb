/** The audit log: who changed what, before and after, recorded in the transaction of the change. */
import { sql } from 'kysely';
import type { Row, Tx } from './db.ts';

declare module './db.ts' {
  interface Tables {
    audit: Row<'audit', { before: string | null; after: string | null }>;
  }
}

/** The operator who makes a change. */
export interface Doer {
  readonly id: number;
  readonly login: string;
  /**
   * Throws a refusal if an operator who signed in by a session may no longer make this change. Locks their rights until
   * the transaction ends: a request that ends a session, a role or a membership waits for the changes under way.
   */
  readonly lockRights?: (tx: Tx, about: readonly About[]) => Promise<void>;
}

/** The caller of a write and its request. */
export interface WriteContext {
  readonly caller: Doer;
  readonly requestId: string;
}

/** The row that is changed, with its product and company. */
export interface About {
  readonly noun: string;
  readonly rowId: number | null;
  readonly productId?: number | null;
  readonly companyId?: number | null;
}

export interface NewAuditEntry extends About {
  readonly caller: Doer | null;
  readonly action: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly requestId?: string | null;
}

/**
 * Write one entry, if its caller may still make the change. `before` and `after` must contain no secrets: pass rows as
 * the API shows them.
 */
export function recordAuditEntry(tx: Tx, entry: NewAuditEntry): Promise<void> {
  return recordAuditEntries(tx, [entry]);
}

/** Write many entries in one statement. */
export async function recordAuditEntries(tx: Tx, entries: readonly NewAuditEntry[]): Promise<void> {
  for (const [doer, its] of Map.groupBy(entries, ({ caller }) => caller)) await doer?.lockRights?.(tx, its);
  const rows = entries.map((entry) => ({
    operator_id: entry.caller?.id ?? null,
    operator: entry.caller?.login ?? null,
    action: entry.action,
    noun: entry.noun,
    row_id: entry.rowId,
    product_id: entry.productId ?? null,
    company_id: entry.companyId ?? null,
    before: entry.before ?? null,
    after: entry.after ?? null,
    request_id: entry.requestId ?? null,
  }));
  await sql`
    insert into audit (operator_id, operator, action, noun, row_id, product_id, company_id, before, after, request_id)
    select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as t (operator_id bigint, operator text, action text, noun text, row_id bigint, product_id bigint,
            company_id bigint, before jsonb, after jsonb, request_id text)`.execute(tx);
}
