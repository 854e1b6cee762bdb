/** The assistant's tools for leads, on a lead's page and in lists. */
import type { QueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { readLeadCard } from '../../../crm/amocrmContract.ts';
import { explainLeadTool } from '../../../outreach/pages/shared/explainTools.ts';
import { readLeadOutreach } from '../../../outreach/rehearsalContract.ts';
import { reference } from '../../../platform/contract.ts';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { namesKey } from '../../../ui/optionSource.ts';
import { Undoable } from '../../../ui/pageContext.ts';
import { argumentsError, NO_ARGUMENTS, pageTool, type ToolWithHandler } from '../../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../../ui/query.ts';
import { nullIfNotFound, storedUndo } from '../../../ui/undo.ts';
import { changeLeadStage, deactivateLead, eventsOfLead, type Lead, leadEvents, leads } from '../../contract.ts';
import { leadDocuments } from '../../documentContract.ts';
import { CHANGE_TAGS, changeTags, OWNER_INPUT, SET_OWNER, setOwner, TAGS_INPUT } from './markTools.ts';

/** Update the caches of every view that shows a changed lead. */
export function cacheLead(cache: QueryClient, changed: Lead): void {
  cache.setQueryData(keyOf(leads.get, { params: { id: changed.id } }), changed);
  for (const endpoint of [leads.list, leads.get, eventsOfLead, leadEvents, readLeadOutreach, readLeadCard]) {
    void cache.invalidateQueries({ queryKey: keyOf(endpoint) });
  }
  void cache.invalidateQueries({ queryKey: namesKey(leads) });
}

const LEAD_INPUT = z.strictObject({ lead_id: reference('lead') });
const STAGE = changeLeadStage.query;
const { name, timezone, crm_id } = leads.create.body.shape;
const CHANGE = z.strictObject({
  name: name.optional(),
  timezone: timezone.unwrap().optional().describe('IANA name'),
  crm_id: crm_id.unwrap().optional(),
});

const read = (id: number): Promise<Lead> => call(leads.get, { params: { id } });

/** Return the tools for lists of leads, which take the lead's id. */
export function leadListTools(): readonly ToolWithHandler[] {
  return [
    explainLeadTool(null),
    pageTool({
      ...CHANGE_STAGE,
      input: STAGE.extend(LEAD_INPUT.shape),
      confirm: true,
      run: ({ lead_id, ...to }) => changeStage(lead_id, to),
    }),
    pageTool({ ...DEACTIVATE, input: LEAD_INPUT, confirm: true, run: ({ lead_id }) => deactivate(lead_id) }),
    pageTool({
      ...CHANGE_TAGS,
      input: TAGS_INPUT.extend(LEAD_INPUT.shape),
      confirm: true,
      run: ({ lead_id, ...change }) => changeTags(lead_id, change),
    }),
    pageTool({
      ...SET_OWNER,
      input: OWNER_INPUT.extend(LEAD_INPUT.shape),
      confirm: true,
      run: ({ lead_id, ...change }) => setOwner(lead_id, change),
    }),
  ];
}

/** Return the tools for the lead of the page. */
export function leadPageTools(id: number): readonly ToolWithHandler[] {
  return [
    explainLeadTool(id),
    pageTool({ ...CHANGE_STAGE, input: STAGE, confirm: true, run: (to) => changeStage(id, to) }),
    pageTool({ ...DEACTIVATE, input: NO_ARGUMENTS, confirm: true, run: () => deactivate(id) }),
    pageTool({ ...CHANGE_TAGS, input: TAGS_INPUT, confirm: true, run: (change) => changeTags(id, change) }),
    pageTool({ ...SET_OWNER, input: OWNER_INPUT, confirm: true, run: (change) => setOwner(id, change) }),
  ];
}

/** Return further tools of the lead's own page. */
export function editingTools(id: number): readonly ToolWithHandler[] {
  return [
    pageTool({
      name: 'change_lead',
      description: t('Changes name, time zone or CRM id of the lead; omitted fields keep their values.'),
      input: CHANGE,
      confirm: true,
      run: (change) => changeLead(id, change),
    }),
    pageTool({
      name: 'add_document',
      description: t('Adds a text about the lead, which prompts can insert as document.<type>.'),
      input: z.strictObject({
        name: leadDocuments.create.body.shape.name,
        type: leadDocuments.create.body.shape.type,
        text: z.string().min(1).max(200_000),
      }),
      confirm: true,
      run: (input) => addDocument(id, input),
    }),
  ];
}

const CHANGE_STAGE = {
  name: 'change_stage',
  description: t(
    'Moves a lead to another stage, by default in the CRM too. In refused, ignore and failed, scheduled messages are cancelled for good.',
  ),
};

const DEACTIVATE = {
  name: 'deactivate_lead',
  description: t('Stops the bot from writing to the lead, and cancels its scheduled messages for good.'),
};

async function changeStage(id: number, { new_stage, update_in_crm }: z.output<typeof STAGE>): Promise<Undoable> {
  const before = await read(id);
  if (before.stage === new_stage) throw new Error(t('The lead is already in this stage.'));
  const move = async (stage: Lead['stage']) => {
    const changed = await call(changeLeadStage, { params: { id }, query: { new_stage: stage, update_in_crm } });
    cacheLead(queryClient, changed);
    return changed;
  };
  const result = await move(new_stage);
  return new Undoable(
    { lead: result.name, stage: result.stage },
    storedUndo({
      after: result.stage,
      read: async () => (await read(id)).stage,
      restore: () => move(before.stage),
    }),
  );
}

async function deactivate(id: number): Promise<Undoable> {
  const before = await read(id);
  if (!before.is_active) throw new Error(t('The lead is already deactivated.'));
  const result = await call(deactivateLead, { params: { id } });
  cacheLead(queryClient, result);
  return new Undoable(
    { lead: result.name, is_active: result.is_active },
    storedUndo({
      after: false,
      read: async () => (await read(id)).is_active,
      restore: () => write(id, { is_active: true }),
    }),
  );
}

type EditableFields = Pick<Lead, 'name' | 'timezone' | 'crm_id'>;
const editableFields = ({ name: leadName, timezone: zone, crm_id: card }: Lead): EditableFields => ({
  name: leadName,
  timezone: zone,
  crm_id: card,
});

async function changeLead(id: number, change: z.output<typeof CHANGE>): Promise<Undoable> {
  const before = editableFields(await read(id));
  const input = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  if (Object.keys(input).length === 0) throw new Error(t('Nothing has changed.'));
  const result = editableFields(await write(id, input));
  return new Undoable(
    { status: 'changed', ...result },
    storedUndo({ after: result, read: async () => editableFields(await read(id)), restore: () => write(id, before) }),
  );
}

/** Change some fields of a lead, based on its current state. */
async function write(id: number, change: Partial<EditableFields & Pick<Lead, 'is_active'>>): Promise<Lead> {
  const { product_id, name: leadName, crm_id: card, crm_fields, timezone: zone, stage, is_active } = await read(id);
  const body = { product_id, name: leadName, crm_id: card, crm_fields, timezone: zone, stage, is_active, ...change };
  const changed = await call(leads.replace, { params: { id }, body });
  cacheLead(queryClient, changed);
  return changed;
}

async function addDocument(leadId: number, input: { name: string; type: string; text: string }): Promise<Undoable> {
  const { name: leadName, type, text } = input;
  const document = { lead_id: leadId, name: leadName, type, document: { text_data: text } };
  const body = leadDocuments.create.body.safeParse(document);
  if (!body.success) throw argumentsError(body.error);
  const created = await call(leadDocuments.create, { body: body.data });
  const params = { id: created.id };
  const invalidate = () => queryClient.invalidateQueries({ queryKey: keyOf(leadDocuments.list) });
  await invalidate();
  return new Undoable(
    { status: 'added', id: created.id },
    storedUndo({
      after: created,
      read: () => nullIfNotFound(call(leadDocuments.get, { params })),
      restore: async () => {
        await call(leadDocuments.remove, { params });
        await invalidate();
      },
    }),
  );
}
