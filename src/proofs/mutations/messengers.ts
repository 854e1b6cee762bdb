/** Mutations of what guards ChatPush, and of first messages whose recipient turns out not to exist. */
import type { MutationsByTest } from './mutation.ts';

export const MESSENGERS_MUTATIONS: MutationsByTest = {
  'src/inbox/chatpush.test.ts': {
    'ChatPush is assumed to recognize a repeated key': {
      file: 'src/channels/chatpush/driver.ts',
      change: ['keyWindowMs: 0,', 'keyWindowMs: 60_000,'],
      failing: 'keeps a message unconfirmed without a callback until an operator settles it',
    },
    "A message of another program on the ChatPush account counts as a person's": {
      file: 'src/inbox/receiveOutgoing.ts',
      change: ["item.viaApi === true ? 'other' : 'phone'", "item.text === '' ? 'other' : 'phone'"],
      failing: "is not taken over by another program's messages on the account",
    },
    'A callback that names our key settles nothing': {
      file: 'src/inbox/statuses.ts',
      change: ['item.key === undefined ? null', 'item.key !== undefined ? null'],
      failing: 'keeps a message unconfirmed after a lost answer until the callback, and sends nothing twice',
    },
  },
  'src/channels/chatpush/hooks.test.ts': {
    'The number of a Telegram message alone identifies a delivery': {
      change: ['extId: `${one.chat_id}/${one.message.id}`,', 'extId: String(one.message.id),'],
      failing: 'parses a message',
    },
  },
  'src/outreach/chatpushRateLimit.test.ts': {
    "ChatPush's minute counts from the start of a send": {
      file: 'src/outbox/settle.ts',
      removed: 'await restartSendInterval(context, tx, dialogueContext);',
      failing: 'counts the minute from when the vendor received the last message',
    },
    'A message that waits for another of its account gives no reason': {
      file: 'src/outbox/deliver.ts',
      removed: ' ?? (await queueBlockReason(tx, dialogueContext, message))',
      failing: "sends an account's messages a minute apart in the order of their due times",
    },
  },
  'src/outreach/channelSafety.test.ts': {
    'Only the periodic check notices a channel without delivery reports': {
      file: 'src/outreach/sendFirstMessages.ts',
      change: ['(await stopIfUnacknowledged(tx, channel.id)) !== null', 'channel.id === 0'],
      failing: 'stops first messages after ten unacknowledged ones until a status arrives',
    },
  },
  'src/outreach/lostClaims.test.ts': {
    'A claim whose commit was not answered waits for a restart of the node': {
      file: 'src/outbox/jobs.ts',
      removed: 'await releaseLostClaims(context);',
      failing: "sends a dead instance's message by the reclaiming one",
    },
    'A message at a slow vendor counts as lost': {
      file: 'src/platform/claimRegistry.ts',
      change: ['!keys.some((name) => active.has(name))', 'keys.length > 0'],
      failing: 'does not reclaim a message during a slow vendor call',
    },
  },
  'src/outreach/recipientNotFound.test.ts': {
    'A first message without a recipient uses up quota': {
      file: 'src/inbox/statuses.ts',
      change: ["item.errorAbout === 'recipient' && message", "item.errorAbout === 'account' && message"],
      failing: 'returns its quota and tries the other contact once',
    },
    'A lead that somebody has moved since is moved back': {
      file: 'src/leads/changeStage.ts',
      change: ['if (last?.by !== by || last.to !== lead.stage) return;', 'if (!last) return;'],
      failing: 'keeps a stage set since',
    },
  },
  'src/inbox/inboundKinds.test.ts': {
    'A missed call ends the turn of the question before it': {
      file: 'src/inbox/receive.ts',
      change: ["isTurn ? { answerAfterSeconds: debounceSeconds } : 'sign'", '{ answerAfterSeconds: debounceSeconds }'],
      failing: 'does not cancel the due answer',
    },
    "An opt-out leaves operators' queued messages": {
      file: 'src/leads/changeStage.ts',
      change: ['includeOperators: true', 'includeOperators: false'],
      failing: 'cancels every queued message on an opt-out',
    },
  },
  'src/outbox/claimedMessages.test.ts': {
    'An instance that was cut off sends a message that another has reclaimed': {
      file: 'src/outbox/deliver.ts',
      disabled: "if (claimState?.status === 'sending' && claimState.claimed_by !== context.instanceId) return;",
      failing: 'lets the reclaiming instance send a message, not the one that returns',
    },
    'A send is repeated under a key that the vendor may have forgotten': {
      file: 'src/outbox/deliver.ts',
      change: ['(maybeDelivered || repeat > 0) &&', 'repeat < 0 &&'],
      failing: "does not repeat a send after the vendor's idempotency window",
    },
  },
  'src/outreach/firstMessageRetry.test.ts': {
    'A requeued first message that was deleted blocks the queue': {
      file: 'src/outreach/sendFirstMessages.ts',
      change: ['if (!(await canSendFirstMessage(', 'if (contact.id === 0 && !(await canSendFirstMessage('],
      failing: 'does not recreate a deleted retry, and sends the others in the queue',
    },
    'A lead can be deactivated between the plan and the claim of its first message': {
      file: 'src/outreach/sendFirstMessages.ts',
      removed: 'if (onlyLeadId !== null) await lockLeadForShare(tx, onlyLeadId);',
      failing: 'sends nothing to a lead deactivated during the claim',
    },
  },
};
