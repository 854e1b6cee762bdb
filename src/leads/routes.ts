import { sql } from 'kysely';
import type { Reader, Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { Invalid } from '../platform/http/errors.ts';
import { mustMatch, resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { announce } from '../platform/live.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { normaliseAddress } from './address.ts';
import { bulkRoutes, type CountTalks } from './bulk.ts';
import { deactivateByHand, moveByHand } from './byHand.ts';
import { recordActivity, type Silence } from './changeStage.ts';
import {
  ADDRESS_WANTED,
  type Contact,
  changeLeadStage,
  contacts,
  deactivateLead,
  type Lead,
  leadRefusals,
  leads,
} from './contract.ts';
import { importRoutes } from './importing.ts';
import { leadListing } from './listing.ts';
import { type Forget, removeLeads } from './removeLead.ts';
import { contactWithAddress, lockLeads, unsetMain } from './store.ts';

const WITHIN = 't.product_id in (select id from products where company_id = any($))';

/** What the room needs of those that lean on it: the bot's silence, what outlives a person, and the count of his talks. */
export interface LeadHooks {
  readonly silence: Silence;
  readonly forget: Forget;
  /** What a lead was just moved to stays here: the CRM is not told. */
  readonly leaveCrm: (tx: Tx, leadId: number) => Promise<void>;
  readonly countTalks: CountTalks;
  /** Which of these leads have a dialogue. */
  readonly talkedWith: (reader: Reader, leadIds: readonly number[]) => Promise<number[]>;
}

export function leadRoutes(ground: Ground, hooks: LeadHooks): Route[] {
  const { silence, forget, leaveCrm } = hooks;
  const plain = resource(ground, leads, leadListing);

  async function mustRead(id: number, reader: Reader = ground.reader): Promise<Lead> {
    const lead = await plain.read(reader, id);
    if (!lead) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
    return lead;
  }

  return [
    plain.list,
    plain.get,
    plain.create(undefined, async (tx, lead) => announce(tx, 'lead', lead.product_id, [lead.id])),
    ...plain.replace(
      async (_tx, before, body) => {
        if (body.stage !== before.stage) throw refuse(leadRefusals, 'lead.stage_by_put');
        if (body.product_id !== before.product_id) throw refuse(leadRefusals, 'lead.product_fixed');
        const { stage: _stage, product_id: _product, ...rest } = body;
        return { ...rest, updated_at: sql`domain_now()` };
      },
      async (tx, lead, before, { caller }) => {
        if (lead.is_active !== before.is_active) await recordActivity(tx, lead, lead.is_active, caller.login);
        if (!lead.is_active && before.is_active) await silence(tx, lead.id, 'The lead is deactivated');
        announce(tx, 'lead', lead.product_id, [lead.id]);
      },
    ),
    route(leads.remove, async ({ params, caller, requestId, ifMatch }) => {
      await ground.transact(async (tx) => {
        await lockLeads(tx, [params.id]);
        const before = await mustRead(params.id, tx);
        await mustMatch(tx, { noun: 'lead', rowId: params.id, item: before }, ifMatch);
        await removeLeads(tx, [params.id], { caller, requestId }, ground.seal, forget);
      });
      return ok(204, null);
    }),
    route(changeLeadStage, async ({ params, query, caller, requestId }) => {
      await ground.transact(async (tx) => {
        const moved = await moveByHand(tx, params.id, query.new_stage, { caller, requestId }, silence);
        if (moved && !query.update_in_crm) await leaveCrm(tx, params.id);
      });
      return ok(200, await mustRead(params.id));
    }),
    route(deactivateLead, async ({ params, caller, requestId }) => {
      await ground.transact((tx) => deactivateByHand(tx, params.id, { caller, requestId }, silence));
      return ok(200, await mustRead(params.id));
    }),
    ...bulkRoutes(ground, hooks),
    ...importRoutes(ground, hooks),
    ...contactRoutes(ground),
  ];
}

/** A lead has an address once for each messenger. */
async function refuseTaken(
  tx: Tx,
  contact: Pick<Contact, 'lead_id' | 'contact_type'>,
  address: string,
  self: number | null,
): Promise<void> {
  const other = await contactWithAddress(tx, contact.lead_id, contact.contact_type, address);
  if (other !== undefined && other !== self) throw refuse(leadRefusals, 'contact.taken');
}

function contactRoutes(ground: Ground): Route[] {
  const plain = resource(ground, contacts, {
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
      // Not a join: looked up for the rows of the page only.
      lead_name: '(select l.name from leads l where l.id = t.lead_id)',
      version: 't.revision',
    },
    search: ['t.contact', '(select l.name from leads l where l.id = t.lead_id)'],
    within: WITHIN,
    id: 't.id',
  });

  function addressOf(contact: Pick<Contact, 'contact' | 'contact_type'>): string {
    const address = normaliseAddress(contact.contact_type, contact.contact);
    if (address === null)
      throw new Invalid([{ loc: ['body', 'contact'], msg: ADDRESS_WANTED[contact.contact_type], type: 'address' }]);
    return address;
  }

  /** A contact is shown with its lead. */
  const announceLead = async (tx: Tx, contact: Contact) => announce(tx, 'lead', contact.product_id, [contact.lead_id]);

  return [
    plain.list,
    plain.get,
    plain.create(async (tx, body) => {
      const address = addressOf(body);
      await refuseTaken(tx, body, address, null);
      if (body.is_main) await unsetMain(tx, body.lead_id, body.contact_type);
      return { ...body, address };
    }, announceLead),
    ...plain.replace(async (tx, before, body) => {
      if (body.lead_id !== before.lead_id || body.product_id !== before.product_id) {
        throw refuse(leadRefusals, 'contact.lead_fixed');
      }
      // An unchanged text keeps its address: a hidden number's (`id:…`) is none that could be typed.
      const isSame = body.contact === before.contact && body.contact_type === before.contact_type;
      const address = isSame ? null : addressOf(body);
      if (address !== null) await refuseTaken(tx, body, address, before.id);
      if (body.is_main) await unsetMain(tx, body.lead_id, body.contact_type);
      return { ...body, ...(address === null ? {} : { address }) };
    }, announceLead),
    plain.remove(async (tx, contact) => {
      await announceLead(tx, contact);
      return undefined;
    }),
  ];
}
