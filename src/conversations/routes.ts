import { canProductUse } from '../channels/store/ownership.ts';
import { planLeads } from '../leads/store/plans.ts';
import { DIALOGUE_COST } from '../llm/store/costs.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { PRODUCT_SCOPE } from '../products/product.ts';
import { classificationRoutes } from './classificationRoutes.ts';
import { type Dialogue, dialogues, leadOfDialogue, readThread, setOwner, viewDialogue } from './contract.ts';
import { handOverRoutes } from './handOverRoutes.ts';
import { linkRoutes } from './linkRoutes.ts';
import { botFailed } from './noAnswer.ts';
import { addressTakenRefusal, chatOfDialogue, findDialogueOfContact } from './openDialogue.ts';
import { changeOwner } from './ownership.ts';
import { readDialogueOrRefuse } from './readDialogue.ts';
import { conversationRefusals } from './refusals.ts';
import { setFollowUpsSkipped } from './skipFollowUps.ts';
import { skipPings } from './skipFollowUpsContract.ts';
import { DIALOGUE_COLUMNS, DIALOGUE_TABLES, SEARCH_CONDITION, SEARCH_SNIPPET } from './store/columns.ts';
import { findContact } from './store/dialogues.ts';
import { readDialogueView, readLeadOfDialogue, readThreadPage } from './store/views.ts';

export function conversationRoutes(context: AppContext): Route[] {
  return [
    ...crudRoutes(context),
    ...dialogueRoutes(context),
    ...classificationRoutes(context),
    ...handOverRoutes(context),
    ...linkRoutes(context),
  ];
}

async function afterChange(tx: Tx, { product_id: product, id, lead_id: leadId }: Dialogue): Promise<void> {
  await planLeads(tx, [leadId]);
  notify(tx, { topic: 'dialogue', product, ids: [id] });
}

function crudRoutes(context: AppContext): Route[] {
  const base = resource(context, dialogues, {
    table: 'dialogues',
    from: DIALOGUE_TABLES,
    select: DIALOGUE_COLUMNS,
    optionalFields: { cost: DIALOGUE_COST },
    conditions: {
      unanswered: `(coalesce(${botFailed('t')}, false) = $)`,
      unclassified: `((exists (select 1 from classifications x
                        where x.dialogue_id = t.id and x.turn = t.turn and x.state = 'failed' and t.owner = 'bot'
                          and l.is_active and l.stage in ('initial', 'started', 'ongoing', 'pending'))) = $)`,
      recent: "(coalesce(t.last_msg_created_at >= domain_now() - interval '7 days', false) = $)",
    },
    search: ['l.name', 'c.contact'],
    searchCondition: SEARCH_CONDITION,
    searchFields: { found: SEARCH_SNIPPET },
    ...PRODUCT_SCOPE,
    id: 't.id',
    nullable: ['last_msg_created_at', 'last_user_msg_at'],
  });
  return [
    base.list,
    base.get,
    base.create(async (tx, body) => {
      const contact = await findContact(tx, body.contact_id);
      if (!contact || contact.product_id !== body.product_id) throw refuse(conversationRefusals, 'dialogue.mismatch');
      const existing = await findDialogueOfContact(tx, contact, { channelId: body.channel_id, chatId: body.chat_id });
      if (existing) throw await addressTakenRefusal(tx, existing.id, body.product_id);
      if (!(await canProductUse(tx, body.product_id, body.channel_id)))
        throw refuse(conversationRefusals, 'dialogue.channel_not_shared');
      const chat_id = await chatOfDialogue(tx, contact, { channelId: body.channel_id, chatId: body.chat_id });
      return { ...body, chat_id, address: contact.address };
    }, afterChange),
    ...base.replace(
      async (tx, { before, body }) => {
        const isMoved =
          body.contact_id !== before.contact_id ||
          body.channel_id !== before.channel_id ||
          body.product_id !== before.product_id;
        if (isMoved) throw refuse(conversationRefusals, 'dialogue.fixed');
        const contact = body.chat_id === before.chat_id ? null : await findContact(tx, before.contact_id);
        const chat_id = contact
          ? await chatOfDialogue(tx, contact, { channelId: before.channel_id, chatId: body.chat_id })
          : before.chat_id;
        return { chat_id, skip_ping_for_msg_id: body.skip_ping_for_msg_id, is_main: body.is_main };
      },
      (tx, { item }) => afterChange(tx, item),
    ),
    base.remove(async (tx, before) => {
      await planLeads(tx, [before.lead_id]);
      notify(tx, { topic: 'lead', product: before.product_id, ids: [before.lead_id] });
      return undefined;
    }),
  ];
}

function dialogueRoutes(context: AppContext): Route[] {
  return [
    route(leadOfDialogue, async ({ params }) => {
      const lead = await readLeadOfDialogue(context.pool, params.id);
      if (!lead) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
      return ok(200, lead);
    }),
    route(viewDialogue, async ({ params }) => {
      const view = await readDialogueView(context.pool, params.id);
      if (!view) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
      return ok(200, view);
    }),
    route(readThread, async ({ params, query }) => {
      const page = await readThreadPage(context.pool, { dialogueId: params.id, ...query });
      if (!page) throw refuse(commonRefusals, 'not_found', { noun: 'message' });
      return ok(200, page);
    }),
    route(setOwner, async ({ params, body, caller, requestId }) => {
      await context.transact(async (tx) => {
        const { owner, stay_silent: staySilent } = body;
        await changeOwner(tx, { id: params.id, owner, staySilent, caller });
        await recordAuditEntry(tx, {
          caller,
          action: `owner ${owner}`,
          ...(staySilent ? { after: { stay_silent: true } } : {}),
          noun: 'dialogue',
          rowId: params.id,
          requestId,
        });
      });
      return ok(200, await readDialogueOrRefuse(context, params.id));
    }),
    route(skipPings, async ({ params, body, caller, requestId }) => {
      await context.transact((tx) =>
        setFollowUpsSkipped(tx, { id: params.id, skip: body.skip }, { caller, requestId }),
      );
      return ok(200, await readDialogueOrRefuse(context, params.id));
    }),
  ];
}
