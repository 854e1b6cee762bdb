/** What the assistant may do on a lead's page. What changes something is confirmed by the operator before it runs. */
import type { QueryClient } from '@tanstack/react-query';
import { readLeadCard } from '../../crm/amocrmContract.ts';
import { call } from '../../kit/api.ts';
import type { PageContext } from '../../kit/pageContext.ts';
import { keyOf } from '../../kit/query.ts';
import { namesKey } from '../../kit/source.ts';
import { t } from '../../kit/t.ts';
import { readLeadOutreach } from '../../outreach/rehearsalContract.ts';
import { changeLeadStage, deactivateLead, eventsOfLead, type Lead, leadEvents, leads, stages } from '../contract.ts';
import { leadDocuments } from '../documentContract.ts';

/** Puts a changed lead wherever it is shown. */
export function tookLead(cache: QueryClient, changed: Lead): void {
  cache.setQueryData(keyOf(leads.get, { params: { id: changed.id } }), changed);
  for (const endpoint of [leads.list, leads.get, eventsOfLead, leadEvents, readLeadOutreach, readLeadCard]) {
    void cache.invalidateQueries({ queryKey: keyOf(endpoint) });
  }
  void cache.invalidateQueries({ queryKey: namesKey(leads) });
}

export function leadTools(lead: Lead, cache: QueryClient): Pick<PageContext, 'tools' | 'handlers'> {
  const params = { id: lead.id };
  const took = (changed: Lead) => {
    tookLead(cache, changed);
    return { stage: changed.stage, is_active: changed.is_active };
  };
  return {
    tools: [
      {
        name: 'change_stage',
        confirm: true,
        description: t('Moves the lead to another stage, in the CRM too unless told otherwise.'),
        parameters: {
          type: 'object',
          properties: { new_stage: { enum: stages }, update_in_crm: { type: 'boolean', default: true } },
          required: ['new_stage'],
        },
      },
      {
        name: 'deactivate_lead',
        confirm: true,
        description: t('The bot writes nothing more to the lead, and what it had scheduled is cancelled.'),
        parameters: { type: 'object', properties: {} },
      },
      {
        name: 'add_document',
        confirm: true,
        description: t('Adds a text about the lead that prompts can name as document.<type>.'),
        parameters: {
          type: 'object',
          properties: { name: { type: 'string' }, type: { type: 'string' }, text: { type: 'string' } },
          required: ['name', 'type', 'text'],
        },
      },
    ],
    handlers: {
      change_stage: {
        call: async (args) => took(await call(changeLeadStage, { params, query: changeLeadStage.query.parse(args) })),
      },
      deactivate_lead: { call: async () => took(await call(deactivateLead, { params })) },
      add_document: {
        call: async ({ name, type, text }) => {
          const body = { lead_id: lead.id, name, type, document: { text_data: text } };
          const made = await call(leadDocuments.create, { body: leadDocuments.create.body.parse(body) });
          await cache.invalidateQueries({ queryKey: keyOf(leadDocuments.list) });
          return { id: made.id };
        },
      },
    },
  };
}
