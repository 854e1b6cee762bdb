import { sql } from 'kysely';
import type { HookOwner } from '../channels/account.ts';
import { mayUseChannel } from '../channels/publicApi.ts';
import { receiveVendorHook, receiveWebhook, sendNew } from '../inbox/chatbotContract.ts';
import { resolveHookSecret } from '../inbox/hookSecret.ts';
import { ingestPayload, ingestVendorHook } from '../inbox/ingest.ts';
import { submitWebhook } from '../inbox/submitWebhook.ts';
import { streamLiveEvents } from '../live/contract.ts';
import type { LiveStreams } from '../live/streams.ts';
import { DIALOGUE_COST, MESSAGE_COST } from '../llm/costs.ts';
import { deliveryFailureRoutes } from '../outbox/deliveryFailureRoutes.ts';
import {
  editScheduledMessage,
  markMessageSent,
  removeMessage,
  requestReplyAgain,
  retryFailedMessage,
  sendScheduledMessageNow,
  sendToContact,
  sendTyped,
} from '../outbox/operatorActions.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import { type Tx, violatedConstraint } from '../platform/db.ts';
import type { AccessControl, Caller } from '../platform/http/caller.ts';
import { resource } from '../platform/http/resource.ts';
import { ok, type Route, route, secretRoute } from '../platform/http/routes.ts';
import type { SecretOwnerCache } from '../platform/http/secretOwnerCache.ts';
import { fingerprint } from '../platform/ids.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { prepared } from '../platform/statements.ts';
import { answerAgain, answerAll } from './answerContract.ts';
import { classificationRoutes } from './classificationRoutes.ts';
import {
  type AcceptedMessages,
  type Dialogue,
  dialogues,
  editMessage,
  leadOfDialogue,
  type Message,
  markSent,
  messages,
  readThread,
  retryMessage,
  sendNow,
  setOwner,
  viewDialogue,
} from './contract.ts';
import { readConversationOfAnswer } from './conversationOfAnswer.ts';
import { addressTakenRefusal } from './openDialogue.ts';
import { changeOwner } from './ownership.ts';
import { conversationRefusals } from './refusals.ts';
import { conversationOfAnswer, runsOfMessage } from './runsContract.ts';
import { setFollowUpsSkipped } from './skipFollowUps.ts';
import { skipPings } from './skipFollowUpsContract.ts';
import {
  DIALOGUE_COLUMNS,
  DIALOGUE_TABLES,
  MESSAGE_COLUMNS,
  SEARCH_CONDITION,
  SEARCH_SNIPPET,
} from './store/columns.ts';
import { findUnansweredDialogues } from './store/operatorActions.ts';
import {
  dialoguesByIds,
  messagesByIds,
  readDialogueView,
  readLeadOfDialogue,
  readRunsOfMessage,
  readThreadPage,
} from './store/views.ts';

const SCOPE_CONDITION = 't.product_id in (select id from products where company_id = any($))';

type AccessCheck = Pick<AccessControl, 'findInaccessible'>;

/** Throws `not_found` unless all are ids within the caller's reach. */
async function requireAccess(access: AccessCheck, caller: Caller, noun: string, ids: readonly number[]): Promise<void> {
  if ((await access.findInaccessible(caller, new Map([[noun, new Set(ids)]]))) !== null)
    throw refuse(commonRefusals, 'not_found', { noun: noun.replaceAll('_', ' ') });
}

export function dialogueRoutes(
  context: AppContext,
  streams: LiveStreams,
  { findInaccessible: missing, owners }: AccessCheck & { readonly owners: SecretOwnerCache<HookOwner> },
): Route[] {
  return [
    ...messageRoutes(context, { findInaccessible: missing }),
    ...resourceRoutes(context),
    ...conversationRoutes(context),
    ...classificationRoutes(context),
    ...deliveryFailureRoutes(context),
    route(streamLiveEvents, async ({ query, stillAllowed, reply }) => {
      streams.openStream(reply, query.product_id, stillAllowed);
      return 'answered';
    }),
    secretRoute(receiveVendorHook, resolveHookSecret(context, owners), async ({ params, body }) => {
      return ok(200, { accepted: await ingestVendorHook(context, params.vendor, params.secret, body) });
    }),
    route(receiveWebhook, async ({ body, maybeCaller, raw, requestId }) => {
      const bearer = /^Bearer (.+)$/.exec(raw.headers.authorization ?? '')?.[1];
      const account = maybeCaller || bearer === undefined ? null : await owners.find(fingerprint(bearer));
      if (!maybeCaller && !account) throw refuse(commonRefusals, 'unauthorized');
      const accepted = maybeCaller
        ? await submitWebhook(context, body, { caller: maybeCaller, requestId })
        : await ingestPayload(context, body, account?.id ?? null);
      return ok(200, { accepted });
    }),
  ];
}

/** What was put into the outbox, part by part; in the thread's order parts already sent would stand last. */
async function acceptedReply(
  context: AppContext,
  queued: { dialogueId: number; ids: number[] },
): Promise<AcceptedMessages> {
  const messagesById = new Map((await messagesByIds(context.pool, queued.ids)).map((one) => [one.id, one]));
  return { dialogue_id: queued.dialogueId, messages: queued.ids.flatMap((id) => messagesById.get(id) ?? []) };
}

async function readMessageOrRefuse(context: AppContext, id: number): Promise<Message> {
  const [message] = await messagesByIds(context.pool, [id]);
  if (!message) throw refuse(commonRefusals, 'not_found', { noun: 'message' });
  return message;
}

async function readDialogueOrRefuse(context: AppContext, id: number): Promise<Dialogue> {
  const [dialogue] = await dialoguesByIds(context.pool, [id]);
  if (!dialogue) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
  return dialogue;
}

/** What a message was made of. It keeps the id when that is gone, and is found by it. */
const SOURCE_FIELDS = [
  ['prompt_id', 'prompt'],
  ['prepared_message_id', 'prepared_message'],
  ['ping_config_id', 'ping_config'],
] as const;

/** Those of the ids that stand on messages within the caller’s reach. */
async function idsOnMessages(
  context: AppContext,
  field: (typeof SOURCE_FIELDS)[number][0],
  ids: readonly number[],
  { companies }: Caller,
): Promise<Set<number>> {
  const scope = companies === null ? '' : ` and ${SCOPE_CONDITION.replaceAll('$', '$2')}`;
  const { rows } = await context.pool.query<{ id: number }>({
    ...prepared(`select w.id from unnest($1::bigint[]) as w (id)
                  where exists (select 1 from messages t where t.${field} = w.id and t.removed_at is null${scope})`),
    values: companies === null ? [ids] : [ids, companies],
  });
  return new Set(rows.map((row) => row.id));
}

function messageRoutes(context: AppContext, access: AccessCheck): Route[] {
  const base = resource(context, { ...messages, replace: { method: 'PATCH' } } as never, {
    table: 'messages',
    from: 'messages t',
    select: MESSAGE_COLUMNS,
    optionalFields: { cost: MESSAGE_COST },
    search: ['t.message'],
    scopeCondition: SCOPE_CONDITION,
    where: 't.removed_at is null',
    id: 't.id',
    nullable: ['scheduled_at', 'sent_at'],
  });
  return [
    route(messages.list, async (call) => {
      for (const [field, resource] of SOURCE_FIELDS) {
        const ids = call.query[field];
        if (!ids || (await access.findInaccessible(call.caller, new Map([[resource, new Set(ids)]]))) === null)
          continue;
        const existingIds = await idsOnMessages(context, field, ids, call.caller);
        const missingIds = ids.filter((one) => !existingIds.has(one));
        await requireAccess(access, call.caller, resource, missingIds);
      }
      return base.list.handle(call) as never;
    }),
    base.get,
    base.remove(async (tx, before, { caller }) => {
      await removeMessage(tx, (before as Message).id, caller.login);
      return 'removed';
    }),
    route(messages.create, async ({ body, caller, requestId }) =>
      ok(201, await acceptedReply(context, await sendTyped(context, body, { caller, requestId }))),
    ),
    route(sendNew, async ({ body, query, caller, requestId }) =>
      ok(201, await acceptedReply(context, await sendToContact(context, body, query, { caller, requestId }))),
    ),
    route(editMessage, async ({ params, body, caller, requestId }) => {
      await editScheduledMessage(context, params.id, body, { caller, requestId });
      return ok(200, await readMessageOrRefuse(context, params.id));
    }),
    route(sendNow, async ({ params, caller, requestId }) => {
      await sendScheduledMessageNow(context, params.id, { caller, requestId });
      return ok(200, await readMessageOrRefuse(context, params.id));
    }),
    route(retryMessage, async ({ params, caller, requestId }) => {
      await retryFailedMessage(context, params.id, { caller, requestId });
      return ok(200, await readMessageOrRefuse(context, params.id));
    }),
    route(markSent, async ({ params, caller, requestId }) => {
      await markMessageSent(context, params.id, { caller, requestId });
      return ok(200, await readMessageOrRefuse(context, params.id));
    }),
    route(conversationOfAnswer, async ({ params }) =>
      ok(200, await readConversationOfAnswer(context.reader, params.id)),
    ),
    route(runsOfMessage, async ({ params, query }) => {
      const runs = await readRunsOfMessage(context.pool, params.id, query);
      return ok(200, { ...runs, page: query.page, limit: query.limit });
    }),
  ];
}

const notifyDialogueChanged = async (tx: Tx, { product_id: product, id }: Dialogue) =>
  notify(tx, 'dialogue', product, [id]);

function resourceRoutes(context: AppContext): Route[] {
  const base = resource(context, dialogues, {
    table: 'dialogues',
    from: DIALOGUE_TABLES,
    select: DIALOGUE_COLUMNS,
    optionalFields: { cost: DIALOGUE_COST },
    conditions: {
      unanswered: '((t.no_answer is not null) = $)',
      unclassified: `((exists (select 1 from classifications x
                        where x.dialogue_id = t.id and x.turn = t.turn and x.state = 'failed' and t.owner = 'bot'
                          and l.is_active and l.stage in ('initial', 'started', 'ongoing', 'pending'))) = $)`,
      recent: "(coalesce(t.last_msg_created_at >= domain_now() - interval '7 days', false) = $)",
    },
    search: ['l.name', 'c.contact'],
    searchCondition: SEARCH_CONDITION,
    searchFields: { found: SEARCH_SNIPPET },
    scopeCondition: SCOPE_CONDITION,
    id: 't.id',
    nullable: ['last_msg_created_at', 'last_user_msg_at'],
  });
  return [
    base.list,
    base.get,
    base.create(async (tx, body) => {
      const { rows } = await sql<{ address: string; product_id: number }>`
        select address, product_id from contacts where id = ${body.contact_id}`.execute(tx);
      const [contact] = rows;
      if (!contact || contact.product_id !== body.product_id) throw refuse(conversationRefusals, 'dialogue.mismatch');
      const { rows: existing } = await sql<{ id: number }>`
        select id from dialogues where channel_id = ${body.channel_id} and (address = ${contact.address} or chat_id = ${body.chat_id})`.execute(
        tx,
      );
      if (existing[0]) throw await addressTakenRefusal(tx, existing[0].id, body.product_id);
      if (!(await mayUseChannel(tx, body.product_id, body.channel_id)))
        throw refuse(conversationRefusals, 'dialogue.channel_not_shared');
      return { ...body, address: contact.address };
    }, notifyDialogueChanged),
    ...base.replace(async (_tx, before, body) => {
      const isMoved =
        body.contact_id !== before.contact_id ||
        body.channel_id !== before.channel_id ||
        body.product_id !== before.product_id;
      if (isMoved) throw refuse(conversationRefusals, 'dialogue.fixed');
      return { chat_id: body.chat_id, skip_ping_for_msg_id: body.skip_ping_for_msg_id, is_main: body.is_main };
    }, notifyDialogueChanged),
    base.remove(async (tx, before) => {
      notify(tx, 'lead', before.product_id, [before.lead_id]);
      return undefined;
    }),
  ];
}

function conversationRoutes(context: AppContext): Route[] {
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
    route(readThread, async ({ params, query }) =>
      ok(200, await readThreadPage(context.pool, params.id, query.before, query.limit)),
    ),
    route(setOwner, async ({ params, body, caller, requestId }) => {
      await context.transact(async (tx) => {
        await changeOwner(tx, params.id, body.owner, caller.login);
        await recordAuditEntry(tx, {
          caller,
          action: `owner ${body.owner}`,
          noun: 'dialogue',
          rowId: params.id,
          requestId,
        });
      });
      return ok(200, await readDialogueOrRefuse(context, params.id));
    }),
    route(skipPings, async ({ params, body, caller, requestId }) => {
      await context.transact((tx) => setFollowUpsSkipped(tx, params.id, body.skip, { caller, requestId }));
      return ok(200, await readDialogueOrRefuse(context, params.id));
    }),
    route(answerAgain, async ({ params, caller, requestId }) => {
      await context.transact((tx) => requestReplyAgain(tx, params.id, { caller, requestId }));
      return ok(200, await readDialogueOrRefuse(context, params.id));
    }),
    route(answerAll, async ({ body, caller, requestId }) => {
      const dialogueIds = await findUnansweredDialogues(context.reader, body.product_id);
      for (const id of dialogueIds)
        await context.transact((tx) => requestReplyAgain(tx, id, { caller, requestId })).catch(ignoreAlreadyAnswered);
      await context.transact(async (tx) => notify(tx, 'dialogue', body.product_id, dialogueIds));
      return ok(200, { count: dialogueIds.length });
    }),
  ];
}

/** Somebody was quicker: nothing is left to answer there. */
function ignoreAlreadyAnswered(error: unknown): void {
  if (
    violatedConstraint(error) !== null ||
    !(error instanceof Error) ||
    !('code' in error) ||
    error.code !== 'dialogue.answered'
  )
    throw error;
}
