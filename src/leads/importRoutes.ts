/** Routes that import leads from files and undo an import. */

import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntries, type WriteContext } from '../platform/audit.ts';
import type { BodyOf } from '../platform/contract.ts';
import type { Tx } from '../platform/db.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { notify } from '../platform/notifications.ts';
import { readTagRules } from '../products/product.ts';
import { tagsAtImport } from '../products/tagContract.ts';
import type { LeadDependencies } from './dependencies.ts';
import { type ImportedRow, importLeads, undoImport } from './importContract.ts';
import { checkRow, type ImportedLead, identityKeysOf, ruleValuesOf } from './importRowContract.ts';
import { type ExistingLead, findExistingLeads, insertLeads, lockImports, readImportedLeads } from './store/import.ts';
import { countImport, openImport } from './store/lists.ts';
import { findSuppressed } from './store/suppressedAddresses.ts';
import { deleteLeads } from './store.ts';

type ImportRequest = BodyOf<typeof importLeads>;

export function importRoutes(
  context: AppContext,
  { eraseLeads, findLeadsWithConversation }: LeadDependencies,
): Route[] {
  return [
    route(importLeads, async ({ body, caller, requestId }) => {
      const rows = await context.transact((tx) =>
        importRows(tx, { cipher: context.cipher, body }, { caller, requestId }),
      );
      return ok(200, { rows });
    }),
    route(undoImport, async ({ body, caller, requestId }) => {
      const { product_id: productId, import_key: key } = body;
      const result = await context.transact(async (tx) => {
        await lockImports(tx, productId);
        const importedLeads = await readImportedLeads(tx, productId, key);
        const untouched = importedLeads.filter((one) => one.untouched).map((one) => one.id);
        const withDialogues = new Set(await findLeadsWithConversation(tx, untouched));
        const ids = untouched.filter((id) => !withDialogues.has(id));
        if (ids.length > 0) {
          // Stores no address hashes: the leads did not ask to be deleted, and the corrected file must be importable.
          await eraseLeads(tx, ids);
          await deleteLeads(tx, ids);
          const entry = { caller, action: 'import undone', noun: 'lead', productId, requestId };
          await recordAuditEntries(
            tx,
            ids.map((rowId) => ({ ...entry, rowId })),
          );
          await countImport(tx, productId, key);
          notify(tx, { topic: 'lead', product: productId, ids });
        }
        return { removed: ids.length, kept: importedLeads.length - ids.length };
      });
      return ok(200, result);
    }),
  ];
}

async function importRows(
  tx: Tx,
  { cipher, body }: { cipher: AppContext['cipher']; body: ImportRequest },
  { caller, requestId }: WriteContext,
): Promise<ImportedRow[]> {
  const { product_id: productId, import_key: key } = body;
  await lockImports(tx, productId);
  const checked = body.rows.map((row) => ({ line: row.line, ...checkRow(row) }));
  const leads = checked.flatMap(({ lead }) => lead ?? []);
  const addresses = [...new Set(leads.flatMap((lead) => lead.contacts.map((one) => one.address)))];
  const crmIds = [...new Set(leads.flatMap((lead) => lead.crmId ?? []))];
  const suppressedAddresses = await findSuppressed(tx, cipher, { productId, addresses });
  const existingByMark = new Map<string, ExistingLead>();
  for (const one of await findExistingLeads(tx, { productId, addresses, crmIds })) {
    if (!existingByMark.has(one.mark)) existingByMark.set(one.mark, one);
  }

  const newRows: { lead: ImportedLead; row: ImportedRow }[] = [];
  /** The rows of this call that have created a lead, by identity key. */
  const rowByMark = new Map<string, ImportedRow>();
  const rows = checked.map(({ line, lead, errors }): ImportedRow => {
    if (lead === null) return { line, outcome: 'invalid', lead_id: null, errors };
    const identityKeys = identityKeysOf(lead);
    const existing = identityKeys.flatMap((identityKey) => existingByMark.get(identityKey) ?? []);
    const isOfThisCall = (one: ExistingLead) => one.import_key === key && !body.dry_run;
    const present = existing.find((one) => !isOfThisCall(one));
    if (present) return { line, outcome: 'present', lead_id: present.lead_id, errors: [] };
    const duplicate = identityKeys.flatMap((identityKey) => rowByMark.get(identityKey) ?? [])[0];
    if (duplicate) return { line, outcome: 'present', lead_id: null, errors: [] };
    // If the same call is repeated after its answer was lost, report what the first one did, row by row: the leads that
    // it created count as new again.
    const [created] = existing;
    if (created) {
      const row: ImportedRow = { line, outcome: 'created', lead_id: created.lead_id, errors: [] };
      for (const identityKey of identityKeys) rowByMark.set(identityKey, row);
      return row;
    }
    if (lead.contacts.some(({ address }) => suppressedAddresses.has(address))) {
      return { line, outcome: 'forgotten', lead_id: null, errors: [] };
    }
    const row: ImportedRow = { line, outcome: 'created', lead_id: null, errors: [] };
    for (const identityKey of identityKeys) rowByMark.set(identityKey, row);
    newRows.push({ lead, row });
    return row;
  });
  if (body.dry_run || newRows.length === 0) return rows;

  const rules = await readTagRules(tx, productId);
  const importId = await openImport(tx, { productId, key, name: body.name || 'Import', operator: caller.login });
  const created = newRows.map(({ lead, row }) => ({
    row,
    lead: { ...lead, tags: tagsAtImport([...lead.tags, ...body.tags], rules, ruleValuesOf(lead)) },
  }));
  const ids = await insertLeads(tx, { productId, importId, importedLeads: created.map(({ lead }) => lead) });
  await countImport(tx, productId, key);
  const entries = created.map(({ lead, row }, index) => {
    row.lead_id = ids[index] ?? null;
    const { name, crmId: crm_id, timezone, crmFields: crm_fields, tags } = lead;
    const after = { name, crm_id, timezone, crm_fields, tags, contacts: lead.contacts.map((one) => one.contact) };
    return { caller, action: 'imported', noun: 'lead', rowId: row.lead_id, productId, after, requestId };
  });
  await recordAuditEntries(tx, entries);
  notify(tx, { topic: 'lead', product: productId, ids });
  return rows;
}
