/** What the assistant may do with a lead, on its page and elsewhere. */
import type { QueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { readLeadCard } from '../../crm/amocrmContract.ts';
import { call } from '../../kit/api.ts';
import { Undoable } from '../../kit/pageContext.ts';
import { misfit, NO_ARGUMENTS, pageTool, type ToolOfPage } from '../../kit/pageTool.ts';
import { keyOf, queryClient } from '../../kit/query.ts';
import { namesKey } from '../../kit/source.ts';
import { t } from '../../kit/t.ts';
import { storedUndo, unlessGone } from '../../kit/undo.ts';
import { whyTool } from '../../outreach/pages/whyTools.ts';
import { readLeadOutreach } from '../../outreach/rehearsalContract.ts';
import { reference } from '../../platform/contract.ts';
import { changeLeadStage, deactivateLead, eventsOfLead, type Lead, leadEvents, leads } from '../contract.ts';
import { leadDocuments } from '../documentContract.ts';

/** Puts a changed lead wherever it is shown. */
export function tookLead(cache: QueryClient, changed: Lead): void {
  cache.setQueryData(keyOf(leads.get, { params: { id: changed.id } }), changed);
  for (const endpoint of [leads.list, leads.get, eventsOfLead, leadEvents, readLeadOutreach, readLeadCard]) {
    void cache.invalidateQueries({ queryKey: keyOf(endpoint) });
  }
  void cache.invalidateQueries({ queryKey: namesKey(leads) });
}

const OF_LEAD = z.strictObject({ lead_id: reference('lead') });
const STAGE = changeLeadStage.query;
const { name, timezone, crm_id } = leads.create.body.shape;
const CHANGE = z.strictObject({
  name: name.optional(),
  timezone: timezone.unwrap().optional().describe('IANA name'),
  crm_id: crm_id.unwrap().optional(),
});

const read = (id: number): Promise<Lead> => call(leads.get, { params: { id } });

/** Of a lead that the assistant names: where a list of them is in view. */
export function toolsOfLeads(): readonly ToolOfPage[] {
  return [
    whyTool(null),
    pageTool({
      ...CHANGE_STAGE,
      input: STAGE.extend(OF_LEAD.shape),
      confirm: true,
      run: ({ lead_id, ...to }) => changeStage(lead_id, to),
    }),
    pageTool({ ...DEACTIVATE, input: OF_LEAD, confirm: true, run: ({ lead_id }) => deactivate(lead_id) }),
  ];
}

/** Of the lead in view. */
export function toolsOfLead(id: number): readonly ToolOfPage[] {
  return [
    whyTool(id),
    pageTool({ ...CHANGE_STAGE, input: STAGE, confirm: true, run: (to) => changeStage(id, to) }),
    pageTool({ ...DEACTIVATE, input: NO_ARGUMENTS, confirm: true, run: () => deactivate(id) }),
  ];
}

/** Besides, on the lead's own page. */
export function editingTools(id: number): readonly ToolOfPage[] {
  return [
    pageTool({
      name: 'change_lead',
      description: t('Changes name, time zone or CRM id of the lead; what is left out stays.'),
      input: CHANGE,
      confirm: true,
      run: (change) => changeLead(id, change),
    }),
    pageTool({
      name: 'add_document',
      description: t('Adds a text about the lead that prompts can name as document.<type>.'),
      input: z.strictObject({
        name: leadDocuments.create.body.shape.name,
        type: leadDocuments.create.body.shape.type,
        text: z.string().min(1).max(200_000),
      }),
      confirm: true,
      run: (given) => addDocument(id, given),
    }),
  ];
}

const CHANGE_STAGE = {
  name: 'change_stage',
  description: t(
    'Moves a lead to another stage, in the CRM too unless told otherwise. In refused, ignore and failed what waits to be sent is cancelled, and stays so.',
  ),
};

const DEACTIVATE = {
  name: 'deactivate_lead',
  description: t('The bot writes nothing more to the lead, and what it had scheduled is cancelled, and stays so.'),
};

async function changeStage(id: number, { new_stage, update_in_crm }: z.output<typeof STAGE>): Promise<Undoable> {
  const before = await read(id);
  if (before.stage === new_stage) throw new Error(t('The lead is in this stage already.'));
  const move = async (stage: Lead['stage']) => {
    const changed = await call(changeLeadStage, { params: { id }, query: { new_stage: stage, update_in_crm } });
    tookLead(queryClient, changed);
    return changed;
  };
  const left = await move(new_stage);
  return new Undoable(
    { lead: left.name, stage: left.stage },
    storedUndo({
      left: left.stage,
      read: async () => (await read(id)).stage,
      putBack: () => move(before.stage),
    }),
  );
}

async function deactivate(id: number): Promise<Undoable> {
  const before = await read(id);
  if (!before.is_active) throw new Error(t('The lead is deactivated already.'));
  const left = await call(deactivateLead, { params: { id } });
  tookLead(queryClient, left);
  return new Undoable(
    { lead: left.name, is_active: left.is_active },
    storedUndo({
      left: false,
      read: async () => (await read(id)).is_active,
      putBack: () => write(id, { is_active: true }),
    }),
  );
}

type Own = Pick<Lead, 'name' | 'timezone' | 'crm_id'>;
const ownOf = ({ name: called, timezone: zone, crm_id: card }: Lead): Own => ({
  name: called,
  timezone: zone,
  crm_id: card,
});

async function changeLead(id: number, change: z.output<typeof CHANGE>): Promise<Undoable> {
  const before = ownOf(await read(id));
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  if (Object.keys(given).length === 0) throw new Error(t('Nothing has changed.'));
  const left = ownOf(await write(id, given));
  return new Undoable(
    { status: 'changed', ...left },
    storedUndo({ left, read: async () => ownOf(await read(id)), putBack: () => write(id, before) }),
  );
}

/** Changes some fields of a lead as it is now. */
async function write(id: number, change: Partial<Own & Pick<Lead, 'is_active'>>): Promise<Lead> {
  const { product_id, name: called, crm_id: card, crm_fields, timezone: zone, stage, is_active } = await read(id);
  const body = { product_id, name: called, crm_id: card, crm_fields, timezone: zone, stage, is_active, ...change };
  const changed = await call(leads.replace, { params: { id }, body });
  tookLead(queryClient, changed);
  return changed;
}

async function addDocument(leadId: number, given: { name: string; type: string; text: string }): Promise<Undoable> {
  const { name: called, type, text } = given;
  const wanted = { lead_id: leadId, name: called, type, document: { text_data: text } };
  const body = leadDocuments.create.body.safeParse(wanted);
  if (!body.success) throw misfit(body.error);
  const made = await call(leadDocuments.create, { body: body.data });
  const params = { id: made.id };
  const readAgain = () => queryClient.invalidateQueries({ queryKey: keyOf(leadDocuments.list) });
  await readAgain();
  return new Undoable(
    { status: 'added', id: made.id },
    storedUndo({
      left: made,
      read: () => unlessGone(call(leadDocuments.get, { params })),
      putBack: async () => {
        await call(leadDocuments.remove, { params });
        await readAgain();
      },
    }),
  );
}
