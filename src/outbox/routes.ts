import { answerAgain, answerAll } from '../conversations/answerContract.ts';
import {
  type AcceptedMessages,
  editMessage,
  type Message,
  markSent,
  messages,
  retryMessage,
  sendNow,
} from '../conversations/contract.ts';
import { readConversationOfAnswer } from '../conversations/conversationOfAnswer.ts';
import { readDialogueOrRefuse } from '../conversations/readDialogue.ts';
import { conversationOfAnswer, runsOfMessage } from '../conversations/runsContract.ts';
import { MESSAGE_COLUMNS } from '../conversations/store/columns.ts';
import { findUnansweredDialogues } from '../conversations/store/dialogues.ts';
import { messagesByIds, readRunsOfMessage } from '../conversations/store/views.ts';
import { MESSAGE_COST } from '../llm/store/costs.ts';
import type { AppContext } from '../platform/appContext.ts';
import { violatedConstraint } from '../platform/db.ts';
import type { AccessControl, Caller } from '../platform/http/caller.ts';
import { resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { PRODUCT_SCOPE } from '../products/product.ts';
import { deliveryFailureRoutes } from './deliveryFailureRoutes.ts';
import {
  editScheduledMessage,
  markMessageSent,
  removeMessage,
  requestReplyAgain,
  retryFailedMessage,
  sendScheduledMessageNow,
  sendToContact,
  sendTyped,
} from './operatorActions.ts';
import { sendNew } from './sendContract.ts';
import { findSourcesOfMessages } from './store/operatorActions.ts';

type AccessCheck = Pick<AccessControl, 'findInaccessible'>;

/** Throw `not_found` unless the caller has access to all of the ids. */
async function requireAccess(
  access: AccessCheck,
  { caller, noun, ids }: { caller: Caller; noun: string; ids: readonly number[] },
): Promise<void> {
  if ((await access.findInaccessible(caller, new Map([[noun, new Set(ids)]]))) !== null)
    throw refuse(commonRefusals, 'not_found', { noun: noun.replaceAll('_', ' ') });
}

export function outboxRoutes(context: AppContext, access: AccessCheck): Route[] {
  return [...messageRoutes(context, access), ...answerRoutes(context), ...deliveryFailureRoutes(context)];
}

/** Return the queued messages, part by part; in the thread's order, parts already sent would come last. */
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

/** Sources of a message. The message keeps the id when the source is deleted, and can still be filtered by it. */
const SOURCE_FIELDS = [
  ['prompt_id', 'prompt'],
  ['prepared_message_id', 'prepared_message'],
  ['ping_config_id', 'ping_config'],
] as const;

function messageRoutes(context: AppContext, access: AccessCheck): Route[] {
  const base = resource(context, { ...messages, replace: { method: 'PATCH' } } as never, {
    table: 'messages',
    from: 'messages t',
    select: MESSAGE_COLUMNS,
    optionalFields: { cost: MESSAGE_COST },
    conditions: {
      contact_id: 't.dialogue_id in (select id from dialogues where contact_id = $)',
      lead_id:
        't.dialogue_id in (select d.id from dialogues d join contacts c on c.id = d.contact_id where c.lead_id = $)',
      channel_id: 't.channel_id = $',
    },
    search: ['t.message'],
    ...PRODUCT_SCOPE,
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
        const existingIds = await findSourcesOfMessages(context.pool, { field, ids, companies: call.caller.companies });
        const missingIds = ids.filter((one) => !existingIds.has(one));
        await requireAccess(access, { caller: call.caller, noun: resource, ids: missingIds });
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
      ok(201, await acceptedReply(context, await sendToContact(context, { body, query }, { caller, requestId }))),
    ),
    route(editMessage, async ({ params, body, caller, requestId }) => {
      await editScheduledMessage(context, { id: params.id, body }, { caller, requestId });
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

function answerRoutes(context: AppContext): Route[] {
  return [
    route(answerAgain, async ({ params, caller, requestId }) => {
      await context.transact((tx) => requestReplyAgain(tx, params.id, { caller, requestId }));
      return ok(200, await readDialogueOrRefuse(context, params.id));
    }),
    route(answerAll, async ({ body, caller, requestId }) => {
      const dialogueIds = await findUnansweredDialogues(context.reader, body.product_id);
      for (const id of dialogueIds)
        await context.transact((tx) => requestReplyAgain(tx, id, { caller, requestId })).catch(ignoreAlreadyAnswered);
      await context.transact(async (tx) =>
        notify(tx, { topic: 'dialogue', product: body.product_id, ids: dialogueIds }),
      );
      return ok(200, { count: dialogueIds.length });
    }),
  ];
}

/** Ignore that another request was quicker: nothing is left to answer. */
function ignoreAlreadyAnswered(error: unknown): void {
  if (
    violatedConstraint(error) !== null ||
    !(error instanceof Error) ||
    !('code' in error) ||
    error.code !== 'dialogue.answered'
  )
    throw error;
}
