/** The assistant's tools for tags and owners of leads. */
import { z } from 'zod';
import { tagList } from '../../../products/tagContract.ts';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { Undoable } from '../../../ui/pageContext.ts';
import { storedUndo } from '../../../ui/undo.ts';
import { leads } from '../../contract.ts';
import { leadOwners } from '../../listContract.ts';
import { markLead } from './markLead.ts';

export const CHANGE_TAGS = {
  name: 'change_lead_tags',
  description: t('Adds tags to a lead and removes others.'),
};
export const TAGS_INPUT = z.strictObject({ add: tagList.default([]), remove: tagList.default([]) });

export const SET_OWNER = {
  name: 'set_lead_owner',
  description: t('Makes an operator with access to the product the owner of a lead.'),
};
export const OWNER_INPUT = z.strictObject({
  owner: z.string().trim().min(1).max(200).nullable().describe(t('Login of the operator; null: no owner')),
});

export async function changeTags(id: number, change: z.output<typeof TAGS_INPUT>): Promise<Undoable> {
  const before = await call(leads.get, { params: { id } });
  const lead = await markLead(id, { kind: 'change_tags', ...change });
  const added = lead.tags.filter((one) => !before.tags.includes(one));
  const removed = before.tags.filter((one) => !lead.tags.includes(one));
  if (added.length + removed.length === 0) throw new Error(t('Nothing has changed.'));
  return new Undoable(
    { lead: lead.name, tags: lead.tags },
    storedUndo({
      after: lead.tags,
      read: async () => (await call(leads.get, { params: { id } })).tags,
      restore: () => markLead(id, { kind: 'change_tags', add: removed, remove: added }),
    }),
  );
}

export async function setOwner(id: number, { owner }: z.output<typeof OWNER_INPUT>): Promise<Undoable> {
  const before = await call(leads.get, { params: { id } });
  const { owners } = await call(leadOwners, { query: { product_id: before.product_id } });
  const chosen = owner === null ? null : owners.find(({ login }) => login.toLowerCase() === owner.toLowerCase());
  if (chosen === undefined)
    throw new Error(
      t('Choose one of these owners: {{logins}}', { logins: owners.map(({ login }) => login).join(', ') }),
    );
  if (before.owner_id === (chosen?.id ?? null)) throw new Error(t('Nothing has changed.'));
  const lead = await markLead(id, { kind: 'set_owner', owner_id: chosen?.id ?? null });
  return new Undoable(
    { lead: lead.name, owner: lead.owner },
    storedUndo({
      after: lead.owner_id,
      read: async () => (await call(leads.get, { params: { id } })).owner_id,
      restore: () => markLead(id, { kind: 'set_owner', owner_id: before.owner_id }),
    }),
  );
}
