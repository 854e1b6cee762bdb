/** The trail of what was done: who, what, before and after, in the transaction of the deed. */
import type { Tx } from './db.ts';

export interface AuditTable {
  id: import('kysely').Generated<number>;
  at: import('kysely').Generated<string>;
  operator_id: number | null;
  operator: string | null;
  action: string;
  noun: string;
  row_id: number | null;
  product_id: number | null;
  company_id: number | null;
  before: string | null;
  after: string | null;
  request_id: string | null;
}

declare module './db.ts' {
  interface Tables {
    audit: AuditTable;
  }
}

/** Who writes, and in which request. */
export interface Writing {
  readonly caller: { readonly id: number; readonly login: string };
  readonly requestId: string;
}

export interface Deed {
  readonly caller: { readonly id: number; readonly login: string } | null;
  readonly action: string;
  readonly noun: string;
  readonly rowId: number | null;
  readonly productId?: number | null;
  readonly companyId?: number | null;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly requestId?: string | null;
}

/** Writes one entry. `before` and `after` must hold no secrets: rows as the API shows them. */
export async function recordDeed(tx: Tx, deed: Deed): Promise<void> {
  const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value));
  await tx
    .insertInto('audit')
    .values({
      operator_id: deed.caller?.id ?? null,
      operator: deed.caller?.login ?? null,
      action: deed.action,
      noun: deed.noun,
      row_id: deed.rowId,
      product_id: deed.productId ?? null,
      company_id: deed.companyId ?? null,
      before: json(deed.before),
      after: json(deed.after),
      request_id: deed.requestId ?? null,
    })
    .execute();
}
