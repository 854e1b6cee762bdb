import type { AppContext } from '../platform/appContext.ts';
import { DOMAIN_NOW } from '../platform/clock.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { ValidationError } from '../platform/http/errors.ts';
import { requireVersion, resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { PRODUCT_SCOPE } from '../products/product.ts';
import { readAddress } from './address.ts';
import { addressRefusalText } from './addressRefusal.ts';
import { bulkRoutes } from './bulkRoutes.ts';
import { requireOwnerAccess } from './changeMarks.ts';
import { recordActiveChange } from './changeStage.ts';
import {
  ADDRESS_HINT,
  type Contact,
  changeLeadStage,
  contacts,
  deactivateLead,
  type Lead,
  leadRefusals,
  leads,
} from './contract.ts';
import type { LeadDependencies } from './dependencies.ts';
import { importRoutes } from './importRoutes.ts';
import { leadListingWith } from './listing.ts';
import { leadListRoutes } from './listRoutes.ts';
import { changeStageAsOperator, deactivateAsOperator } from './operatorActions.ts';
import { decideOptOutOfLead, liftOptOutOfLead, optOutOfLead } from './optOutContract.ts';
import { removeLeads } from './removeLeads.ts';
import { asTags } from './store/lists.ts';
import { carryOptOuts, readOptOut } from './store/optOuts.ts';
import { planLeads } from './store/plans.ts';
import { clearMainContact, findContactByAddress, lockLead, lockLeads } from './store.ts';

export function leadRoutes(context: AppContext, dependencies: LeadDependencies): Route[] {
  const { cancelPending, eraseLeads, restoreMoved, skipCrmSync, optOuts } = dependencies;
  const crudRoutes = resource(context, leads, leadListingWith(dependencies.listParts));

  async function readOrRefuse(id: number, reader: Reader = context.reader): Promise<Lead> {
    const lead = await crudRoutes.read(reader, id);
    if (!lead) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
    return lead;
  }

  return [
    crudRoutes.list,
    crudRoutes.get,
    crudRoutes.create(
      async (tx, body) => {
        await requireOwnerAccess(tx, body.owner_id, [body.product_id]);
        return { ...body, is_active: body.is_active && !body.recognized_deactivation_request, tags: asTags(body.tags) };
      },
      async (tx, lead, writing) => {
        if (lead.recognized_deactivation_request)
          await optOuts.decide(tx, { leadId: lead.id, decision: 'stop', writing });
        notify(tx, { topic: 'lead', product: lead.product_id, ids: [lead.id] });
      },
    ),
    ...crudRoutes.replace(
      async (tx, { before, body }, writing) => {
        if (body.stage !== before.stage) throw refuse(leadRefusals, 'lead.stage_by_put');
        if (body.product_id !== before.product_id) throw refuse(leadRefusals, 'lead.product_fixed');
        const { stage: _stage, product_id: _product, ...rest } = body;
        if (body.owner_id !== before.owner_id) await requireOwnerAccess(tx, body.owner_id, [body.product_id]);
        const isStopped = isOptedOutBy(before, body);
        if (isStopped) await optOuts.decide(tx, { leadId: before.id, decision: 'stop', writing });
        if (isOptedOutBy(body, before)) await optOuts.lift(tx, { leadId: before.id, activate: false, writing });
        return { ...rest, is_active: rest.is_active && !isStopped, tags: asTags(body.tags), updated_at: DOMAIN_NOW };
      },
      async (tx, { before, item: lead }, { caller }) => {
        // An opt-out has recorded and cancelled what follows from it.
        const isStopped = isOptedOutBy(before, lead);
        if (lead.is_active !== before.is_active && !isStopped)
          await recordActiveChange(tx, { lead, active: lead.is_active, by: caller.login });
        if (!lead.is_active && before.is_active && !isStopped)
          await cancelPending(tx, { leadId: lead.id, reason: { code: 'inactive' } });
        if (lead.timezone !== before.timezone) await restoreMoved(tx, { leadIds: [lead.id] });
        await planLead(tx, lead);
      },
    ),
    route(leads.remove, async ({ params, caller, requestId, ifMatch }) => {
      await context.transact(async (tx) => {
        await lockLeads(tx, [params.id]);
        const before = await readOrRefuse(params.id, tx);
        await requireVersion(tx, { noun: 'lead', rowId: params.id, item: before }, ifMatch);
        await removeLeads(tx, { ids: [params.id], writing: { caller, requestId }, cipher: context.cipher, eraseLeads });
      });
      return ok(204, null);
    }),
    route(changeLeadStage, async ({ params, query, caller, requestId }) => {
      await context.transact(async (tx) => {
        const hasChanged = await changeStageAsOperator(tx, {
          id: params.id,
          stage: query.new_stage,
          writing: { caller, requestId },
          cancelPending,
        });
        if (hasChanged && !query.update_in_crm) await skipCrmSync(tx, params.id);
      });
      return ok(200, await readOrRefuse(params.id));
    }),
    route(deactivateLead, async ({ params, caller, requestId }) => {
      await context.transact((tx) =>
        deactivateAsOperator(tx, { id: params.id, writing: { caller, requestId }, cancelPending }),
      );
      return ok(200, await readOrRefuse(params.id));
    }),
    ...optOutRoutes(context, { optOuts, readOrRefuse }),
    ...bulkRoutes(context, dependencies),
    ...importRoutes(context, dependencies),
    ...leadListRoutes(context),
    ...contactRoutes(context),
  ];
}

async function planLead(tx: Tx, { id, product_id: product }: Lead): Promise<void> {
  await planLeads(tx, [id]);
  notify(tx, { topic: 'lead', product, ids: [id] });
}

type OptOutField = Pick<Lead, 'recognized_deactivation_request'>;

/** Whether a change records that the lead has opted out. */
const isOptedOutBy = (before: OptOutField, after: OptOutField): boolean =>
  after.recognized_deactivation_request && !before.recognized_deactivation_request;

function optOutRoutes(
  context: AppContext,
  { optOuts, readOrRefuse }: Pick<LeadDependencies, 'optOuts'> & { readOrRefuse: (id: number) => Promise<Lead> },
): Route[] {
  // A wish is of one company, and so is what a member may reach.
  const read = async (id: number) => ({ opt_out: await readOptOut(context.reader, context.cipher, id) });
  return [
    route(optOutOfLead, async ({ params }) => {
      await readOrRefuse(params.id);
      return ok(200, await read(params.id));
    }),
    route(decideOptOutOfLead, async ({ params, body, caller, requestId }) => {
      const { decision } = body;
      await context.transact((tx) =>
        optOuts.decide(tx, { leadId: params.id, decision, writing: { caller, requestId } }),
      );
      return ok(200, await read(params.id));
    }),
    route(liftOptOutOfLead, async ({ params, query, caller, requestId }) => {
      const { activate } = query;
      await context.transact((tx) => optOuts.lift(tx, { leadId: params.id, activate, writing: { caller, requestId } }));
      return ok(200, await readOrRefuse(params.id));
    }),
  ];
}

/** Refuse an address of a person whom the lead already has as a contact on this messenger. */
async function refuseDuplicate(
  tx: Tx,
  {
    contact,
    address,
    self,
  }: { contact: Pick<Contact, 'lead_id' | 'contact_type'>; address: string; self: number | null },
): Promise<void> {
  const other = await findContactByAddress(tx, { leadId: contact.lead_id, type: contact.contact_type, address });
  if (other !== undefined && other !== self) throw refuse(leadRefusals, 'contact.taken');
}

function contactRoutes(context: AppContext): Route[] {
  const crudRoutes = resource(context, contacts, {
    table: 'contacts',
    from: 'contacts t',
    select: {
      id: 't.id',
      lead_id: 't.lead_id',
      product_id: 't.product_id',
      contact: 't.contact',
      contact_type: 't.contact_type',
      is_main: 't.is_main',
      created_at: 't.created_at',
      // A subquery instead of a join: it runs only for the rows of the page.
      lead_name: '(select l.name from leads l where l.id = t.lead_id)',
      version: 't.revision',
    },
    search: ['t.contact', '(select l.name from leads l where l.id = t.lead_id)'],
    ...PRODUCT_SCOPE,
    id: 't.id',
  });

  function addressOf(contact: Pick<Contact, 'contact' | 'contact_type'>): string {
    const read = readAddress(contact.contact_type, contact.contact);
    if ('address' in read) return read.address;
    const { contact_type: type } = contact;
    const isNone = ['empty', 'no_address', 'no_username'].includes(read.refusal.code);
    const msg = isNone ? ADDRESS_HINT[type] : addressRefusalText(type, read.refusal);
    throw new ValidationError([{ loc: ['body', 'contact'], msg, type: 'address' }]);
  }

  /** Contacts are shown with their lead, so their changes are published for the lead. */
  const notifyLeadChanged = async (tx: Tx, contact: Contact) =>
    notify(tx, { topic: 'lead', product: contact.product_id, ids: [contact.lead_id] });

  /** What the person wishes holds for its new address as well. */
  const afterWrite = async (tx: Tx, contact: Contact) => {
    await carryOptOuts(tx, context.cipher, [contact.lead_id]);
    await planLeads(tx, [contact.lead_id]);
    await notifyLeadChanged(tx, contact);
  };

  return [
    crudRoutes.list,
    crudRoutes.get,
    crudRoutes.create(async (tx, body) => {
      const address = addressOf(body);
      // Of two that become the main contact at once, the second waits and then replaces the first.
      if (!(await lockLead(tx, body.lead_id))) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
      await refuseDuplicate(tx, { contact: body, address, self: null });
      if (body.is_main) await clearMainContact(tx, body.lead_id, body.contact_type);
      return { ...body, address };
    }, afterWrite),
    ...crudRoutes.replace(
      async (tx, { before, body }) => {
        if (body.lead_id !== before.lead_id || body.product_id !== before.product_id) {
          throw refuse(leadRefusals, 'contact.lead_fixed');
        }
        // An unchanged contact keeps its address: a hidden number's (`id:…`) cannot be typed.
        const isSame = body.contact === before.contact && body.contact_type === before.contact_type;
        const address = isSame ? null : addressOf(body);
        await lockLead(tx, body.lead_id);
        if (address !== null) await refuseDuplicate(tx, { contact: body, address, self: before.id });
        if (body.is_main) await clearMainContact(tx, body.lead_id, body.contact_type);
        return { ...body, ...(address === null ? {} : { address }) };
      },
      (tx, { item }) => afterWrite(tx, item),
    ),
    crudRoutes.remove(async (tx, contact) => {
      await planLeads(tx, [contact.lead_id]);
      await notifyLeadChanged(tx, contact);
      return undefined;
    }),
  ];
}
