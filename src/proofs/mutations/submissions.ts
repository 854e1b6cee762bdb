/** Mutations of what programs submit and vendors report: webhooks, the secrets they are sent with, statuses. */
import type { MutationsByTest } from './mutation.ts';

export const SUBMISSION_MUTATIONS: MutationsByTest = {
  'src/inbox/webhookItems.test.ts': {
    'An item that cannot be used loses the others': {
      file: 'src/inbox/submitWebhook.ts',
      change: ['items.length === 0 && refused.length > 0', 'refused.length > 0'],
      failing: 'is named with the reason when nothing can be made of it, and loses no other',
    },
    'A batch of which nothing can be used is accepted': {
      file: 'src/inbox/submitWebhook.ts',
      disabled: 'if (items.length === 0 && refused.length > 0) throw',
      failing: 'is refused with 422 when no other can be used',
    },
    'A status with an empty text is stored as a message': {
      file: 'src/inbox/chatbotContract.ts',
      change: ["(message ?? '').trim() === '' &&", 'message === null &&'],
      failing: 'is stored in any form whose meaning is plain',
    },
    'A character that cannot be stored loses the whole batch': {
      file: 'src/inbox/chatbotContract.ts',
      removed: "  loose: 'json',\n",
      failing: 'is stored in any form whose meaning is plain',
    },
    'A large number is rounded into the id of another chat': {
      file: 'src/platform/contract.ts',
      change: ['z.int({ error })', 'z.number()'],
      failing: 'is named with the reason when nothing can be made of it, and loses no other',
    },
  },
  'src/inbox/statusLadder.test.ts': {
    'A message that is queued again stays scheduled when it has arrived': {
      file: 'src/engine/rules/message.ts',
      change: ["status === 'unconfirmed' || (status === 'scheduled' && since !== null)", "status === 'unconfirmed'"],
      failing: 'does the same alone and with others',
    },
  },
  'src/engine/rules/waiting.test.ts': {
    'A message that may have arrived is claimed after its key is forgotten': {
      file: 'src/engine/rules/waiting.ts',
      removed: '  if (isForgotten && mayHaveArrived(message)) return NO_CHANGE;\n',
      failing: 'keeps its key while a try may have arrived, and is not claimed once that is forgotten',
    },
    'A key that the vendor has forgotten is used again': {
      file: 'src/engine/rules/waiting.ts',
      removed: '      ...(isForgotten ? { send_key: key } : {}),\n',
      failing: 'gets a new key once the vendor has forgotten it',
    },
    'An answer to the present turn is cancelled with those to older ones': {
      file: 'src/engine/rules/waiting.ts',
      change: ['message.turn < which.before', 'message.turn <= which.before'],
      failing: 'an answer to a later turn',
    },
    'What an operator has typed is cancelled with what the bot was to send': {
      file: 'src/engine/rules/waiting.ts',
      change: ["const isOfBot = message.author === 'bot';", 'const isOfBot = message.author !== null;'],
      failing: 'what an operator has typed',
    },
    'A part leaves before those ahead of it': {
      file: 'src/engine/rules/waiting.ts',
      change: ['parts.filter((part) => part <= id)', 'parts.filter((part) => part === id)'],
      failing: 'leave in their order when one is sent at once',
    },
  },
  'src/engine/rules/dialogue.test.ts': {
    'Why the bot handed over is forgotten once an operator writes': {
      file: 'src/engine/rules/owner.ts',
      change: ["reason === 'phone' || reason === 'operator'", 'reason !== null'],
      failing: 'an operator who writes keeps why the bot handed over',
    },
    'A snooze outlasts the hand-back': {
      file: 'src/engine/rules/owner.ts',
      removed: '        snoozed_until: null,\n        snoozed_until_reply: false,\n',
      failing: 'is the bot once it is given back, and nobody has it assigned or snoozed',
    },
    'A snooze ends before its time': {
      file: 'src/engine/rules/attention.ts',
      removed: ' && dialogue.snoozed_until <= now.domain',
      failing: 'ends a snooze at its time and not before',
    },
    'An edit ends a snooze until a date': {
      file: 'src/engine/rules/turn.ts',
      change: ['...(dialogue.snoozed_until_reply ? {', '...(dialogue.snoozed_until ? {'],
      failing: 'starts again when the lead edits a message',
    },
    'What begins no turn ends the one that is open': {
      file: 'src/engine/rules/turn.ts',
      change: ['...(isOpen ? {} : reason)', '...reason'],
      failing: 'leaves a turn as it is if it begins none',
    },
    'An older message of the lead becomes the latest': {
      file: 'src/engine/rules/turn.ts',
      change: ['(lastAt === null || lastAt <= latest.at)', '(lastAt === null || lastAt !== latest.at)'],
      failing: 'that is older than what is stored is not the latest',
    },
    'An answer to an older turn settles the present one': {
      file: 'src/engine/rules/turn.ts',
      change: ['dialogue.turn === event.turn ? settle', 'dialogue.turn >= event.turn ? settle'],
      failing: 'is settled by its own answer alone',
    },
    'Failures count from the last one': {
      file: 'src/engine/rules/turn.ts',
      change: ['dialogue.turn_failed_at ?? now.real', 'now.real'],
      failing: 'is tried again after a failure, since the first of which time counts',
    },
    'A lead who has given a sign is not planned again': {
      file: 'src/engine/rules/dialogue.ts',
      removed: "  'last_user_msg_at',\n",
      failing: 'does not run backwards, and each sign of the lead has it planned again',
    },
  },
  'src/engine/rules/conversation.test.ts': {
    'Two messages of a dialogue are with the vendor at once': {
      file: 'src/engine/rules/conversation.ts',
      removed: " || (event.kind === 'claimed' && isSending(state, id))",
      failing: 'what the database demands and what people are told holds',
    },
    'A message is read before it is sent': {
      file: 'src/engine/rules/delivery.ts',
      change: ['Math.max(message.read_at ?? reported, confirmedAt)', '(message.read_at ?? reported)'],
      failing: 'what the database demands and what people are told holds',
    },
    'A message is delivered before it is sent': {
      file: 'src/engine/rules/delivery.ts',
      change: [
        'Math.max(message.sent_confirmation_at ?? reported, sentAt)',
        'message.sent_confirmation_at ?? reported',
      ],
      failing: 'what the database demands and what people are told holds',
    },
    'A message is read tomorrow': {
      file: 'src/engine/rules/delivery.ts',
      change: ['Math.min(at ?? now.domain, now.domain)', 'at ?? now.domain'],
      failing: 'a time ahead of ours is now',
    },
    'The outcome of an instance that has lost its claim counts': {
      file: 'src/engine/rules/delivery.ts',
      change: ['message.claimed_by === event.by ?', 'event.by !== null ?'],
      failing: 'when another instance has reclaimed it',
    },
    'An answer that comes late to a try under the same key is not believed': {
      file: 'src/engine/rules/delivery.ts',
      change: ['if (!mayHaveArrived(message)) return extId', "if (message.status !== 'sending') return extId"],
      failing: 'when the answer to a lost try comes after it was scheduled again under the same key',
    },
    'A try that may have arrived fails for good': {
      file: 'src/engine/rules/rejection.ts',
      change: ["!maybeDelivered || about === 'recipient'", 'true'],
      failing: 'when a try before may have arrived',
    },
    'A message that leaves late answers what the lead wrote after it': {
      file: 'src/engine/rules/needs.ts',
      change: ['lastUserAt > message.created_at ? lastUserAt : null', 'lastUserAt < 0 ? lastUserAt : null'],
      failing: 'is an answer to what the lead wrote after the message',
    },
    'A failure that is seen to hides another one': {
      file: 'src/engine/rules/needs.ts',
      change: ["failed_since: kinds.has('error') ?", "failed_since: failure === 'error' ?"],
      failing: 'lasts until the last of its failed messages is seen to',
    },
    'A message that has left tells its dialogue nothing': {
      file: 'src/engine/rules/needs.ts',
      change: ['!hasLeft(before) && hasLeft(after) ?', 'after.thread_at < 0 ?'],
      failing: 'is an answer no longer once a message written after the lead has left',
    },
    'A rejected key goes on to be used when a report came first': {
      file: 'src/engine/rules/conversation.ts',
      change: ["if (decision.refused === 'not_ours') continue;", 'continue;'],
      failing: 'that a rejection is about, also when a report has settled the message',
    },
  },
  'src/engine/steps/applyEvents.test.ts': {
    'A column of the rules is not stored': {
      file: 'src/engine/postgres/save.ts',
      change: ['const set = names.map', 'const set = names.slice(0, 3).map'],
      failing: 'stores what the rules say, in any sequence of events',
    },
  },
  'src/outbox/debounceGuard.test.ts': {
    'A reply of a program leaves although the lead has written something newer': {
      file: 'src/outbox/decideSend.ts',
      change: ['if (due.hasNewerInbound)', 'if (due.hasNewerInbound && due.isDialogueBlocked)'],
      failing: 'is cancelled by what the lead writes before it leaves',
    },
    'A lead whose reply is cancelled waits unseen': {
      file: 'src/outbox/sendDue.ts',
      removed: '    await reopenWait(tx, message);\n',
      failing: 'is cancelled when the lead has written something newer, and the lead waits again',
    },
    'A notice of the messenger cancels a reply': {
      file: 'src/outbox/store/dueMessages.ts',
      removed: " and n.kind <> 'system'",
      failing: 'is not cancelled by a notice of the messenger, nor by what is older',
    },
    'A message answers one of another dialogue': {
      file: 'src/outbox/operatorActions.ts',
      removed: '    await requireMessageOfDialogue(tx, body.reply_on_msg_id, dialogue.id);\n',
      failing: 'is refused with 422 when that message is in another dialogue',
    },
    'What an operator sends again is cancelled by what the lead wrote before': {
      file: 'src/engine/rules/delivery.ts',
      removed: " && message.author === 'bot'",
      failing: 'is sent when an operator sends it again, although the lead has written since',
    },
  },
  'src/outbox/decideSend.test.ts': {
    'A reply of a program overtakes a stored message': {
      change: [
        'isGuardedReply(message)) {\n    if (due.hasUnprocessedInbound) return SKIP;',
        'isGuardedReply(message)) {',
      ],
      failing: 'holds a reply of a program back while a message is stored',
    },
    'Every message of an operator is cancelled by a newer one': {
      removed: ' && message.reply_on_msg_id !== null',
      failing: 'lets a message that replies to none leave',
    },
  },
  'src/channels/renewHookSecret.test.ts': {
    'A former secret is accepted without end': {
      file: 'src/channels/store/hookSecrets.ts',
      change: ['clock_timestamp() + make_interval(secs => ${GRACE_SECONDS})', 'null'],
      failing: 'is registered with the vendor at once, and replaces the former one after ten minutes',
    },
    'A bearer whose secret has ended is remembered for a minute': {
      file: 'src/inbox/ingest.ts',
      change: ['account: bearer ?? accountId,', 'account: accountId,'],
      failing: 'is registered with the vendor at once, and replaces the former one after ten minutes',
    },
    'The vendor sends to an address that ends when a renewal fails': {
      file: 'migrations/functions/account_of_hook_secret.sql',
      change: ['valid_until is null or ', ''],
      failing: 'is accepted beside the former one until the vendor has it',
    },
    'A renewal that is overtaken leaves the vendor with a former address': {
      file: 'src/channels/store/hookSecrets.ts',
      change: [
        'where id = ${accountId} and hook_secret_hash = ${hash} returning 1',
        'where id = ${accountId} returning 1',
      ],
      failing: 'registers the present secret when it is overtaken',
    },
    "A renewal takes over another program's address": {
      file: 'src/channels/registerHook.ts',
      disabled: 'if (!replace && !isOurs(registered))',
      failing: "does not take over another program's address unless told to",
    },
    'A company that shares an account renews its secret': {
      disabled: 'if (!caller.admin && (owner === null || !caller.companies?.includes(owner)))',
      failing: 'an admin, and members of the company that owns the account',
    },
    'A former secret becomes the present one again': {
      file: 'src/channels/store/hookSecrets.ts',
      removed: '         and not exists (select 1 from former_hook_secrets where secret_hash = ${hash})\n',
      failing: 'is a new one of 256 bits',
    },
  },
  'src/platform/http/copies.test.ts': {
    'A read-only field is set by POST': {
      file: 'src/platform/http/requestChecks.ts',
      removed: '  for (const field of readOnlyFields) Reflect.deleteProperty(body.data as object, field);\n',
      failing: 'is accepted by the POST of every resource',
    },
    'A copy of a scheduled message is sent at once': {
      file: 'src/outbox/operatorActions.ts',
      change: ['body.send_not_before ?? body.scheduled_at', 'body.send_not_before'],
      failing: 'does not send a copy of a message earlier than the message',
    },
    'An id loses its leading zeros in a query': {
      file: 'src/platform/http/shapes.ts',
      removed: " || alternatives(schema)[0]?.type === 'string'",
      failing: 'keeps its leading zeros in a query',
    },
  },
  'src/outreach/preparedTypes.test.ts': {
    'A prepared message of the wrong kind is accepted': {
      file: 'src/prompts/preparedType.ts',
      disabled: 'if (detail.length > 0)',
      failing: 'is no follow-up in the settings of a product',
    },
    'A stored setting that uses a message of the wrong kind cannot be switched off': {
      file: 'src/outreach/routes.ts',
      disabled: "if (before && isDeepStrictEqual(body.config, Reflect.get(before, 'config')))",
      failing: 'one that is stored can still be switched off',
    },
    'send-new begins with a follow-up': {
      file: 'src/outbox/operatorActions.ts',
      disabled: 'if (!(await hasMessages(context.reader, body.contact_id)))',
      failing: 'is no follow-up when send-new writes first',
    },
  },
};
