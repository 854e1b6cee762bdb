/**
 * Turns a row of a file into a lead, with the same rules for the page that shows it and the server that stores it.
 * Pure.
 */
import { type RuleValues, tagList } from '../products/tagContract.ts';
import { personKey, readAddresses } from './address.ts';
import { addressRefusalText } from './addressRefusal.ts';
import { type ContactType, contactTypes, leads } from './contract.ts';
import type { ImportedRow, ImportRow } from './importContract.ts';
import { isPlaceholder } from './placeholderContract.ts';

interface ImportedContact {
  readonly type: ContactType;
  readonly contact: string;
  readonly address: string;
}

export interface ImportedLead {
  readonly name: string;
  readonly crmId: string | null;
  readonly timezone: string | null;
  readonly crmFields: ImportRow['crm_fields'];
  readonly tags: readonly string[];
  readonly contacts: readonly ImportedContact[];
}

export type CheckedRow =
  | { readonly lead: ImportedLead; readonly errors: null }
  | { readonly lead: null; readonly errors: ImportedRow['errors'] };

const bounds = leads.create.body.shape;

/** An id as a spreadsheet writes a long number: the first digits are those of many ids. */
const ROUNDED_ID = /^\d(?:[.,]\d+)?E\+\d{1,3}$/i;

/** Return what a cell says; a placeholder counts as empty. */
function contentOf(cell: string): string {
  const text = cell.trim();
  return isPlaceholder(text) ? '' : text;
}

/** Return the lead that a row describes, or all errors of the row. */
export function checkRow(row: ImportRow): CheckedRow {
  const errors: ImportedRow['errors'] = [];
  const name = bounds.name.safeParse(row.name);
  if (row.name.trim() === '') errors.push({ field: 'name', msg: 'Name is required' });
  else if (!name.success) errors.push({ field: 'name', msg: 'The name is too long' });

  const contacts: ImportedContact[] = [];
  for (const type of contactTypes) {
    const value = contentOf(row[type]);
    if (value === '') continue;
    const { addresses, refused } = readAddresses(type, value);
    contacts.push(...addresses.map((one) => ({ type, ...one })));
    for (const refusal of refused) errors.push({ field: type, msg: addressRefusalText(type, refusal) });
  }
  const crmId = contentOf(row.crm_id);
  if (crmId.length > 200) errors.push({ field: 'crm_id', msg: 'The CRM id is too long' });
  if (ROUNDED_ID.test(crmId))
    errors.push({ field: 'crm_id', msg: `A spreadsheet has rounded this id to ${crmId}: format its column as text` });
  const zone = contentOf(row.timezone);
  const timezone = bounds.timezone.safeParse(zone === '' ? null : zone);
  if (!timezone.success) errors.push({ field: 'timezone', msg: 'Unknown time zone' });

  const tags = tagList.safeParse(row.tags.split(',').filter((one) => one.trim() !== ''));
  if (!tags.success) errors.push({ field: 'tags', msg: 'At most 20 tags of at most 40 characters' });

  const isBare = contentOf(row.whatsapp) === '' && contentOf(row.telegram) === '' && crmId === '';
  // Such a lead could neither be written to nor recognised when the file is imported again.
  if (isBare) errors.push({ field: 'row', msg: 'A WhatsApp or Telegram address or a CRM id is required' });
  if (errors.length > 0) return { lead: null, errors };
  return {
    lead: {
      name: row.name.trim(),
      crmId: crmId === '' ? null : crmId,
      timezone: zone === '' ? null : zone,
      crmFields: row.crm_fields,
      tags: tags.data ?? [],
      contacts,
    },
    errors: null,
  };
}

/** Return the values of a lead that tag rules compare. Fields of the lead itself precede CRM fields of the same name. */
export const ruleValuesOf = ({
  name,
  crmId,
  timezone,
  crmFields,
  contacts,
}: Omit<ImportedLead, 'tags'>): RuleValues => ({
  ...crmFields,
  name,
  crm_id: crmId,
  timezone,
  ...Object.fromEntries(contactTypes.map((type) => [type, contacts.find((one) => one.type === type)?.contact])),
});

/**
 * Return the keys that identify a lead: the person behind each address, regardless of the messenger, and the CRM id.
 */
export function identityKeysOf(lead: ImportedLead): string[] {
  const addresses = lead.contacts.map((one) => `address ${personKey(one.address)}`);
  return lead.crmId === null ? addresses : [...addresses, `crm ${lead.crmId}`];
}
