/** Leads out of files, and back. */
import { recordDeeds, type Writing } from '../platform/audit.ts';
import type { BodyOf } from '../platform/contract.ts';
import type { Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { announce } from '../platform/live.ts';
import { forgottenAmong } from './forgotten.ts';
import { type ImportedRow, importLeads, undoImport } from './importContract.ts';
import { checkRow, type ImportedLead, marksOf } from './importRowContract.ts';
import { holdImports, insertLeads, type KnownLead, knownLeads, leadsOfImport } from './importStore.ts';
import type { LeadHooks } from './routes.ts';
import { deleteLeads } from './store.ts';

type Import = BodyOf<typeof importLeads>;

export function importRoutes(ground: Ground, { forget, talkedWith }: LeadHooks): Route[] {
  return [
    route(importLeads, async ({ body, caller, requestId }) => {
      const rows = await ground.transact((tx) => importRows(tx, ground, body, { caller, requestId }));
      return ok(200, { rows });
    }),
    route(undoImport, async ({ body, caller, requestId }) => {
      const { product_id: productId, import_key: key } = body;
      const counted = await ground.transact(async (tx) => {
        await holdImports(tx, productId);
        const brought = await leadsOfImport(tx, productId, key);
        const untouched = brought.filter((one) => one.untouched).map((one) => one.id);
        const talked = new Set(await talkedWith(tx, untouched));
        const ids = untouched.filter((id) => !talked.has(id));
        if (ids.length > 0) {
          // No hash stays: nobody asked to be forgotten, and the mended file is to be taken.
          await forget(tx, ids);
          await deleteLeads(tx, ids);
          const deed = { caller, action: 'import undone', noun: 'lead', productId, requestId };
          await recordDeeds(
            tx,
            ids.map((rowId) => ({ ...deed, rowId })),
          );
          announce(tx, 'lead', productId, ids);
        }
        return { removed: ids.length, kept: brought.length - ids.length };
      });
      return ok(200, counted);
    }),
  ];
}

async function importRows(
  tx: Tx,
  ground: Ground,
  body: Import,
  { caller, requestId }: Writing,
): Promise<ImportedRow[]> {
  const { product_id: productId, import_key: key } = body;
  await holdImports(tx, productId);
  const checked = body.rows.map((row) => ({ line: row.line, ...checkRow(row) }));
  const leads = checked.flatMap(({ lead }) => lead ?? []);
  const addresses = [...new Set(leads.flatMap((lead) => lead.contacts.map((one) => one.address)))];
  const crmIds = [...new Set(leads.flatMap((lead) => lead.crmId ?? []))];
  const forgotten = await forgottenAmong(tx, ground.seal, productId, addresses);
  const known = new Map<string, KnownLead>();
  for (const one of await knownLeads(tx, productId, addresses, crmIds)) {
    if (!known.has(one.mark)) known.set(one.mark, one);
  }

  const fresh: { lead: ImportedLead; row: ImportedRow }[] = [];
  /** Of this very call, by their marks. */
  const begun = new Map<string, ImportedRow>();
  const rows = checked.map(({ line, lead, errors }): ImportedRow => {
    if (lead === null) return { line, outcome: 'invalid', lead_id: null, errors };
    const marks = marksOf(lead);
    const there = marks.flatMap((mark) => known.get(mark) ?? [])[0];
    // The same call again, after its answer was lost, is told what it did.
    if (there) {
      const own = there.import_key === key && !body.dry_run;
      return { line, outcome: own ? 'created' : 'present', lead_id: there.lead_id, errors: [] };
    }
    const twin = marks.flatMap((mark) => begun.get(mark) ?? [])[0];
    if (twin) return { line, outcome: 'present', lead_id: null, errors: [] };
    if (lead.contacts.some(({ address }) => forgotten.has(address))) {
      return { line, outcome: 'forgotten', lead_id: null, errors: [] };
    }
    const row: ImportedRow = { line, outcome: 'created', lead_id: null, errors: [] };
    for (const mark of marks) begun.set(mark, row);
    fresh.push({ lead, row });
    return row;
  });
  if (body.dry_run || fresh.length === 0) return rows;

  const ids = await insertLeads(
    tx,
    productId,
    key,
    fresh.map((one) => one.lead),
  );
  const deeds = fresh.map(({ lead, row }, index) => {
    row.lead_id = ids[index] ?? null;
    const { name, crmId: crm_id, timezone, crmFields: crm_fields } = lead;
    const after = { name, crm_id, timezone, crm_fields, contacts: lead.contacts.map((one) => one.contact) };
    return { caller, action: 'imported', noun: 'lead', rowId: row.lead_id, productId, after, requestId };
  });
  await recordDeeds(tx, deeds);
  announce(tx, 'lead', productId, ids);
  return rows;
}
