import { planLeads } from '../leads/store/plans.ts';
import { lockLeads } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { decideLink, listLinksOfLead, listOpenLinks } from './linksContract.ts';
import { readLink, readLinksOfLead, readOpenLinks, setLinkState } from './store/links.ts';
import { requestPropagation } from './store/optOutPropagations.ts';

/** Routes of links between dialogues: who may be one person, and what an operator decides about it. */
export function linkRoutes(context: AppContext): Route[] {
  return [
    route(listLinksOfLead, async ({ params }) => ok(200, await readLinksOfLead(context.reader, params.id))),
    route(listOpenLinks, async () => ok(200, await readOpenLinks(context.reader))),
    route(decideLink, async ({ params: { id }, body: { state }, caller, requestId }) => {
      const link = await context.transact(async (tx) => {
        const before = await readLink(tx, id);
        if (!before) throw refuse(commonRefusals, 'not_found', { noun: 'link' });
        const leadIds = [before.lead_id, ...(before.other_lead_id === null ? [] : [before.other_lead_id])];
        const leads = await lockLeads(tx, leadIds);
        await setLinkState(tx, { id, state, login: caller.login });
        // Their plans depend on whom they are the same person as.
        await planLeads(tx, leadIds);
        // Whoever has asked to be left alone has asked as every lead that he is.
        if (state === 'accepted' && before.kind === 'same_person')
          for (const lead of leads) if (lead.recognized_deactivation_request) await requestPropagation(tx, lead.id);
        await recordAuditEntry(tx, {
          caller,
          action: `link ${state}`,
          noun: 'dialogue',
          rowId: before.dialogue_id,
          productId: before.product_id,
          requestId,
        });
        notify(tx, { topic: 'lead', product: before.product_id, ids: leadIds });
        return readLink(tx, id);
      });
      if (!link) throw refuse(commonRefusals, 'not_found', { noun: 'link' });
      return ok(200, link);
    }),
  ];
}
