import { sql } from 'kysely';
import type { HookOwner } from '../channels/account.ts';
import { mayUseChannel } from '../channels/known.ts';
import { DIALOGUE_COST, MESSAGE_COST } from '../llm/costs.ts';
import { recordDeed } from '../platform/audit.ts';
import { brokenConstraint, type Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import type { Caller, Gate } from '../platform/http/caller.ts';
import type { KnownSecrets } from '../platform/http/knownSecrets.ts';
import { resource } from '../platform/http/resource.ts';
import { ok, type Route, route, secretRoute } from '../platform/http/routes.ts';
import { fingerprint } from '../platform/ids.ts';
import { announce } from '../platform/live.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { prepared } from '../platform/statements.ts';
import { answerAgain, answerAll } from './answerContract.ts';
import { takenBy } from './begin.ts';
import {
  editScheduled,
  removeMessage,
  retry,
  sendByHand,
  sendScheduledNow,
  settleAsSent,
  tryAnswerAgain,
  writeToContact,
} from './byHand.ts';
import { receiveVendorHook, receiveWebhook, sendNew } from './chatbotContract.ts';
import { classificationRoutes } from './classificationRoutes.ts';
import {
  type Accepted,
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
import { hookSecret } from './hookSecret.ts';
import { ingestPayload, ingestVendorHook } from './ingest.ts';
import { live } from './liveContract.ts';
import { setOwnerByHand } from './ownership.ts';
import { dialoguesByIds, leadOf, messagesByIds, readThreadPage, readView, runsOf } from './read.ts';
import { dialogueRefusals } from './refusals.ts';
import { runsOfMessage, talkOfAnswer } from './runsContract.ts';
import { DIALOGUE_FROM, DIALOGUE_SELECT, FOUND_WORDS, MESSAGE_SELECT, WITH_WORDS } from './shown.ts';
import { skipPings } from './skipContract.ts';
import { setPingsSkipped } from './skipPings.ts';
import { unansweredDialogues } from './store/hand.ts';
import type { Streams } from './stream.ts';
import { submitWebhook } from './submitWebhook.ts';
import { readTalk } from './talk.ts';
import { troubleRoutes } from './troubleRoutes.ts';

const WITHIN = 't.product_id in (select id from products where company_id = any($))';

type Reach = Pick<Gate, 'missing'>;

/** Throws `not_found` unless all are ids within the caller's reach. */
async function mustReach(reach: Reach, caller: Caller, noun: string, ids: readonly number[]): Promise<void> {
  if ((await reach.missing(caller, new Map([[noun, new Set(ids)]]))) !== null)
    throw refuse(commonRefusals, 'not_found', { noun: noun.replaceAll('_', ' ') });
}

export function dialogueRoutes(
  ground: Ground,
  streams: Streams,
  { missing, owners }: Reach & { readonly owners: KnownSecrets<HookOwner> },
): Route[] {
  return [
    ...messageRoutes(ground, { missing }),
    ...resourceRoutes(ground),
    ...conversationRoutes(ground),
    ...classificationRoutes(ground),
    ...troubleRoutes(ground),
    route(live, async ({ query, stillAllowed, reply }) => {
      streams.open(reply, query.product_id, stillAllowed);
      return 'answered';
    }),
    secretRoute(receiveVendorHook, hookSecret(ground, owners), async ({ params, body }) => {
      return ok(200, { accepted: await ingestVendorHook(ground, params.vendor, params.secret, body) });
    }),
    route(receiveWebhook, async ({ body, maybeCaller, raw, requestId }) => {
      const bearer = /^Bearer (.+)$/.exec(raw.headers.authorization ?? '')?.[1];
      const account = maybeCaller || bearer === undefined ? null : await owners.find(fingerprint(bearer));
      if (!maybeCaller && !account) throw refuse(commonRefusals, 'unauthorized');
      const accepted = maybeCaller
        ? await submitWebhook(ground, body, { caller: maybeCaller, requestId })
        : await ingestPayload(ground, body, account?.id ?? null);
      return ok(200, { accepted });
    }),
  ];
}

/** What was put into the outbox, part by part; in the thread's order parts already sent would stand last. */
async function accepted(ground: Ground, made: { dialogueId: number; ids: number[] }): Promise<Accepted> {
  const shown = new Map((await messagesByIds(ground.pool, made.ids)).map((one) => [one.id, one]));
  return { dialogue_id: made.dialogueId, messages: made.ids.flatMap((id) => shown.get(id) ?? []) };
}

async function shownMessage(ground: Ground, id: number): Promise<Message> {
  const [message] = await messagesByIds(ground.pool, [id]);
  if (!message) throw refuse(commonRefusals, 'not_found', { noun: 'message' });
  return message;
}

async function shownDialogue(ground: Ground, id: number): Promise<Dialogue> {
  const [dialogue] = await dialoguesByIds(ground.pool, [id]);
  if (!dialogue) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
  return dialogue;
}

/** What a message was made of. It keeps the id when that is gone, and is found by it. */
const MADE_OF = [
  ['prompt_id', 'prompt'],
  ['prepared_message_id', 'prepared_message'],
  ['ping_config_id', 'ping_config'],
] as const;

/** Those of the ids that stand on messages within the caller’s reach. */
async function keptIds(
  ground: Ground,
  field: (typeof MADE_OF)[number][0],
  ids: readonly number[],
  { companies }: Caller,
): Promise<Set<number>> {
  const within = companies === null ? '' : ` and ${WITHIN.replaceAll('$', '$2')}`;
  const { rows } = await ground.pool.query<{ id: number }>({
    ...prepared(`select w.id from unnest($1::bigint[]) as w (id)
                  where exists (select 1 from messages t where t.${field} = w.id and t.removed_at is null${within})`),
    values: companies === null ? [ids] : [ids, companies],
  });
  return new Set(rows.map((row) => row.id));
}

function messageRoutes(ground: Ground, reach: Reach): Route[] {
  const plain = resource(ground, { ...messages, replace: { method: 'PATCH' } } as never, {
    table: 'messages',
    from: 'messages t',
    select: MESSAGE_SELECT,
    extras: { cost: MESSAGE_COST },
    search: ['t.message'],
    within: WITHIN,
    where: 't.removed_at is null',
    id: 't.id',
    nullable: ['scheduled_at', 'sent_at'],
  });
  return [
    route(messages.list, async (call) => {
      for (const [field, noun] of MADE_OF) {
        const ids = call.query[field];
        if (!ids || (await reach.missing(call.caller, new Map([[noun, new Set(ids)]]))) === null) continue;
        const kept = await keptIds(ground, field, ids, call.caller);
        const rest = ids.filter((one) => !kept.has(one));
        await mustReach(reach, call.caller, noun, rest);
      }
      return plain.list.handle(call) as never;
    }),
    plain.get,
    plain.remove(async (tx, before, { caller }) => {
      await removeMessage(tx, (before as Message).id, caller.login);
      return 'removed';
    }),
    route(messages.create, async ({ body, caller, requestId }) =>
      ok(201, await accepted(ground, await sendByHand(ground, body, { caller, requestId }))),
    ),
    route(sendNew, async ({ body, query, caller, requestId }) =>
      ok(201, await accepted(ground, await writeToContact(ground, body, query, { caller, requestId }))),
    ),
    route(editMessage, async ({ params, body, caller, requestId }) => {
      await editScheduled(ground, params.id, body, { caller, requestId });
      return ok(200, await shownMessage(ground, params.id));
    }),
    route(sendNow, async ({ params, caller, requestId }) => {
      await sendScheduledNow(ground, params.id, { caller, requestId });
      return ok(200, await shownMessage(ground, params.id));
    }),
    route(retryMessage, async ({ params, caller, requestId }) => {
      await retry(ground, params.id, { caller, requestId });
      return ok(200, await shownMessage(ground, params.id));
    }),
    route(markSent, async ({ params, caller, requestId }) => {
      await settleAsSent(ground, params.id, { caller, requestId });
      return ok(200, await shownMessage(ground, params.id));
    }),
    route(talkOfAnswer, async ({ params }) => ok(200, await readTalk(ground.reader, params.id))),
    route(runsOfMessage, async ({ params, query }) => {
      const found = await runsOf(ground.pool, params.id, query);
      return ok(200, { ...found, page: query.page, limit: query.limit });
    }),
  ];
}

const announceDialogue = async (tx: Tx, { product_id: product, id }: Dialogue) =>
  announce(tx, 'dialogue', product, [id]);

function resourceRoutes(ground: Ground): Route[] {
  const plain = resource(ground, dialogues, {
    table: 'dialogues',
    from: DIALOGUE_FROM,
    select: DIALOGUE_SELECT,
    extras: { cost: DIALOGUE_COST },
    conditions: {
      unanswered: '((t.no_answer is not null) = $)',
      unclassified: `((exists (select 1 from classifications x
                        where x.dialogue_id = t.id and x.turn = t.turn and x.state = 'failed' and t.owner = 'bot'
                          and l.is_active and l.stage in ('initial', 'started', 'ongoing', 'pending'))) = $)`,
      recent: "(coalesce(t.last_msg_created_at >= domain_now() - interval '7 days', false) = $)",
    },
    search: ['l.name', 'c.contact'],
    finds: WITH_WORDS,
    found: { found: FOUND_WORDS },
    within: WITHIN,
    id: 't.id',
    nullable: ['last_msg_created_at', 'last_user_msg_at'],
  });
  return [
    plain.list,
    plain.get,
    plain.create(async (tx, body) => {
      const { rows } = await sql<{ address: string; product_id: number }>`
        select address, product_id from contacts where id = ${body.contact_id}`.execute(tx);
      const [contact] = rows;
      if (!contact || contact.product_id !== body.product_id) throw refuse(dialogueRefusals, 'dialogue.mismatch');
      const { rows: taken } = await sql<{ id: number }>`
        select id from dialogues where channel_id = ${body.channel_id} and (address = ${contact.address} or chat_id = ${body.chat_id})`.execute(
        tx,
      );
      if (taken[0]) throw await takenBy(tx, taken[0].id, body.product_id);
      if (!(await mayUseChannel(tx, body.product_id, body.channel_id)))
        throw refuse(dialogueRefusals, 'dialogue.channel_not_shared');
      return { ...body, address: contact.address };
    }, announceDialogue),
    ...plain.replace(async (_tx, before, body) => {
      const moved =
        body.contact_id !== before.contact_id ||
        body.channel_id !== before.channel_id ||
        body.product_id !== before.product_id;
      if (moved) throw refuse(dialogueRefusals, 'dialogue.fixed');
      return { chat_id: body.chat_id, skip_ping_for_msg_id: body.skip_ping_for_msg_id, is_main: body.is_main };
    }, announceDialogue),
    plain.remove(async (tx, before) => {
      announce(tx, 'lead', before.product_id, [before.lead_id]);
      return undefined;
    }),
  ];
}

function conversationRoutes(ground: Ground): Route[] {
  return [
    route(leadOfDialogue, async ({ params }) => {
      const lead = await leadOf(ground.pool, params.id);
      if (!lead) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
      return ok(200, lead);
    }),
    route(viewDialogue, async ({ params }) => {
      const view = await readView(ground.pool, params.id);
      if (!view) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
      return ok(200, view);
    }),
    route(readThread, async ({ params, query }) =>
      ok(200, await readThreadPage(ground.pool, params.id, query.before, query.limit)),
    ),
    route(setOwner, async ({ params, body, caller, requestId }) => {
      await ground.transact(async (tx) => {
        await setOwnerByHand(tx, params.id, body.owner, caller.login);
        await recordDeed(tx, { caller, action: `owner ${body.owner}`, noun: 'dialogue', rowId: params.id, requestId });
      });
      return ok(200, await shownDialogue(ground, params.id));
    }),
    route(skipPings, async ({ params, body, caller, requestId }) => {
      await ground.transact((tx) => setPingsSkipped(tx, params.id, body.skip, { caller, requestId }));
      return ok(200, await shownDialogue(ground, params.id));
    }),
    route(answerAgain, async ({ params, caller, requestId }) => {
      await ground.transact((tx) => tryAnswerAgain(tx, params.id, { caller, requestId }));
      return ok(200, await shownDialogue(ground, params.id));
    }),
    route(answerAll, async ({ body, caller, requestId }) => {
      const open = await unansweredDialogues(ground.reader, body.product_id);
      for (const id of open)
        await ground.transact((tx) => tryAnswerAgain(tx, id, { caller, requestId })).catch(ignoreAnswered);
      await ground.transact(async (tx) => announce(tx, 'dialogue', body.product_id, open));
      return ok(200, { count: open.length });
    }),
  ];
}

/** Somebody was quicker: nothing is left to answer there. */
function ignoreAnswered(error: unknown): void {
  if (
    brokenConstraint(error) !== null ||
    !(error instanceof Error) ||
    !('code' in error) ||
    error.code !== 'dialogue.answered'
  )
    throw error;
}
