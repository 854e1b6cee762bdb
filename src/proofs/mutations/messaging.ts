/** Mutations of dialogues, sending, amoCRM and ChatPush. */
import type { MutationsByTest } from './mutation.ts';

export const MESSAGING_MUTATIONS: MutationsByTest = {
  'src/studio/brokenStreams.test.ts': {
    'A broken stream stays open': {
      file: 'src/llm/wire/readEvents.ts',
      removed: 'body.destroy();',
      failing: 'ends each broken stream in an error or a whole answer, without leaking memory',
    },
  },
  'src/outbox/deliver.test.ts': {
    'Each attempt to send has its own key': {
      file: 'src/channels/wazzup24/driver.ts',
      change: ['crmMessageId: request.key,', 'crmMessageId: crypto.randomUUID(),'],
      failing: '5xx after accepting',
    },
    'A temporary refusal is final although an earlier attempt may have arrived': {
      file: 'src/outbox/send.ts',
      change: ['maybeDelivered ? asUnknownIfPassing(vendorOutcome) : vendorOutcome', 'vendorOutcome'],
      failing: 'repeats an uncertain send after 429 until the vendor reports its status',
    },
  },
  'src/leads/removeLeads.test.ts': {
    'A parked message of a deleted lead stays': {
      file: 'src/conversations/store/erase.ts',
      change: ["('done', 'failed', 'parked')", "('done', 'failed')"],
      failing: 'leaves nothing of an outbound message that is parked',
    },
  },
  'src/inbox/receive.test.ts': {
    "An opt-out of a person's other leads is forgotten when one of them cannot follow": {
      file: 'src/conversations/propagateOptOut.ts',
      change: ['if (failures.length === 0) return', 'if (failures.length >= 0) return'],
      failing: 'opts out as its other leads however often that fails',
    },
    'An event that a vendor repeats is stored twice': {
      file: 'migrations/0008_dialogues.sql',
      change: ['unique (account_id, kind, ext_id, status)', "check (kind <> '')"],
      failing: 'has one effect when delivered twenty times at once',
    },
    'A person opts out as one lead only': {
      file: 'src/conversations/optOut.ts',
      disabled: 'if ((await findOtherLeadsOfPerson(tx, leadId)).length > 0)',
      failing: 'opts out as every lead of the product with the same address',
    },
  },
  'src/inbox/statuses.test.ts': {
    'The last status wins instead of the highest': {
      file: 'src/engine/rules/delivery.ts',
      change: ['rank >= RANKS[status]', 'rank === RANKS[status]'],
      failing: 'statuses only climb',
    },
  },
  'src/inbox/reportOrder.test.ts': {
    'Reports that confirm a message are applied as they arrived': {
      file: 'src/inbox/store/reports.ts',
      change: ["order by i.item->>'occurredAt' nulls last, i.id`.execute(tx)", 'order by i.id`.execute(tx)'],
      failing: 'applies those that confirm a message in the order of the vendor, not of their arrival',
    },
  },
  'src/conversations/reply.test.ts': {
    'What a lead wrote while an answer was on its way seems to be answered': {
      file: 'src/conversations/store/messages.ts',
      change: ['greatest(thread_at, missed_at), missed_at >= thread_at nulls first, thread_at, id', 'thread_at, id'],
      failing: 'asks the model for what a lead wrote while an answer was on its way',
    },
    'A turn whose claim could not be renewed is answered twice by one process': {
      file: 'src/conversations/reply.ts',
      disabled: 'if (other)',
      failing: 'answers a turn once although its claim could not be renewed in time',
    },
    'A message is claimed although an operator owns the dialogue': {
      file: 'src/leads/lead.ts',
      disabled: "if (owner === 'human') return",
      failing: 'the dialogue is handed over',
    },
    'A message is claimed although the lead has written again': {
      file: 'src/outbox/decideSend.ts',
      change: ['message.turn !== due.turn', 'message.turn === -1'],
      failing: 'a newer turn has begun',
    },
  },
  'src/app.test.ts': {
    'Requests of foreign pages are accepted': {
      file: 'src/platform/http/authorize.ts',
      disabled: 'if (!isOurOrigin(origin)) throw',
      failing: 'a request from a foreign page',
    },
    'Ids of other companies are accepted': {
      file: 'src/platform/http/requestChecks.ts',
      disabled: 'if (inaccessible) throw',
      failing: 'a member of another company',
    },
  },
  'src/inbox/ingest.test.ts': {
    'A hook is acknowledged before it is committed': {
      change: ['await write(hook).catch(', '(void write(hook), []);\n  void Promise.resolve().catch('],
      failing: 'is acknowledged only after the commit',
    },
  },
  'src/inbox/statusRace.test.ts': {
    'A status without a message is looked at only once': {
      file: 'src/inbox/store/items.ts',
      change: ['const MAX_LOOKS = 15;', 'const MAX_LOOKS = 0;'],
      failing: 'applies a status after the answer to its send',
    },
  },
  'src/platform/batchWrites.test.ts': {
    'One hook that cannot be stored fails its whole batch': {
      change: ['if (batch.length === 1 || isFatal(error)) for', 'if (batch.length > 0) for'],
      failing: 'writes the rest of a batch when one item is refused',
    },
  },
  'src/conversations/storeReply.test.ts': {
    'Two answers to one turn that are stored together are both queued': {
      removed: "if (event.kind !== 'answer_released') states.set(state.id, { ...state, is_due: false });",
      failing: 'queues one of two answers to a turn that are stored together',
    },
    'A run that was stored is counted again': {
      file: 'src/llm/store.ts',
      change: ['select coalesce(r.id, ${NEXT_RUN_ID}), r.product_id', 'select ${NEXT_RUN_ID}, r.product_id'],
      failing: 'stores and counts an answer once whose commit was not acknowledged',
    },
  },
  'src/conversations/decideReply.test.ts': {
    'An answer to an earlier turn is queued': {
      change: ['state.turn !== turn || !isDue', '!isDue'],
      failing: 'drops an answer after a newer message',
    },
    'An answer to a turn that was closed is queued': {
      change: ['state.turn !== turn || !isDue', 'state.turn !== turn'],
      failing: 'drops an answer to a turn that somebody closed',
    },
    'An answer passes by a message that is not processed yet': {
      disabled: 'if (state.has_unprocessed_inbound) return',
      failing: 'waits until a stored message is processed',
    },
    'An answer is queued after a hand-over': {
      change: ["const blocked = botBlockReason({ lead, isProductActive, owner }, 'answer')", 'const blocked = null'],
      failing: 'says nothing after a hand-over',
    },
  },
  'src/conversations/classifyTurn.test.ts': {
    'A classification applies although an operator has taken over': {
      change: ['await blockReason(tx, { dialogue, lead, classifiedTurn: row.turn })', 'null'],
      failing: 'moves nothing after a hand-over',
    },
  },
  'src/crm/oauth.test.ts': {
    'Any host is accepted as one of amoCRM': {
      file: 'src/crm/amocrm/host.ts',
      change: ['VENDOR_HOST.test(referer) || referer === emulatorHost(context)', "referer !== ''"],
      failing: 'the host that amoCRM names',
    },
    "amoCRM's secrets are accepted more than once": {
      file: 'src/crm/store/oauthStates.ts',
      removed: 'secrets_at is null and ',
      failing: 'accepts the secrets once, and refuses a second or unknown post',
    },
    "amoCRM's disconnect hook needs no signature": {
      file: 'src/crm/amocrm/signature.ts',
      change: ['timingSafeEqual(actual, expected)', 'timingSafeEqual(actual, actual)'],
      failing: 'ignores a wrong signature',
    },
    "amoCRM's disconnect hook is not verified": {
      file: 'src/crm/disconnect.ts',
      disabled: "if (answer.kind !== 'reconnect') {",
      failing: 'changes nothing when replayed while the tokens are valid',
    },
  },
  'src/crm/ordinaryIntegration.test.ts': {
    "Secrets are accepted for amoCRM's ordinary flow": {
      file: 'src/crm/store/oauthStates.ts',
      removed: " flow = 'external' and",
      failing: 'accepts no posted secrets',
    },
  },
  'src/crm/twoProcesses.test.ts': {
    "Two processes refresh amoCRM's tokens at once": {
      file: 'src/crm/store/tokens.ts',
      removed: "and ${isUnclaimed('a', REFRESH)}",
      failing: 'refresh once when both need new tokens',
    },
  },
  'src/crm/tokens.test.ts': {
    'amoCRM is called without a rate limit': {
      file: 'src/crm/amocrm/call.ts',
      removed: 'if (waitMs > 0) await pause(waitMs);',
      failing: 'seven calls a second',
    },
  },
  'src/crm/hooks.test.ts': {
    'A hook of another amoCRM account is accepted': {
      file: 'src/crm/amocrmRoutes.ts',
      change: ['changes.accounts.some((one) => one !== match.account_id)', 'changes.accounts.includes(-1)'],
      failing: 'ignores a webhook with an unknown secret',
    },
    'Hooks that amoCRM disabled stay disabled': {
      file: 'src/crm/amocrm/api.ts',
      removed: '!each.disabled &&',
      failing: 'that amoCRM disabled after failures are registered again',
    },
  },
  'src/crm/races.test.ts': {
    "Our own write that amoCRM reports counts as a person's move": {
      file: 'src/crm/applyCard.ts',
      change: ['row.sent_status_id === card.statusId &&', 'row.sent_status_id === -1 &&'],
      failing: 'whose answer was lost',
    },
    'A card that was read before our write overwrites it': {
      file: 'src/crm/writeStage.ts',
      change: [
        'card: { ...card, updatedAt },\n    statusId: step,\n    readAt: await readRealClock(context.reader),',
        'card: updatedAt < 0 ? { ...card, updatedAt } : card,\n    statusId: step,\n    readAt,',
      ],
      failing: 'does not move a lead back by a read that began before our write',
    },
    'A move in amoCRM is lost under our write': {
      file: 'src/crm/writeStage.ts',
      disabled: 'if (current.pending_stage === null) return recordChanges',
      failing: 'makes lead and card agree when somebody moves the card during our write',
    },
    'The later of two moves, in amoCRM and here, does not win': {
      file: 'src/crm/applyCard.ts',
      change: ['(row.wished !== null && row.wished > card.updatedAt);', 'row.wished === -1;'],
      failing: "moves a card to the lead's stage when the lead moved later",
    },
  },
  'src/crm/mapping.test.ts': {
    'A step of amoCRM that several stages share means the first of them': {
      change: ['return matching.includes(current) ? current : (matching[0] ?? null);', 'return matching[0] ?? null;'],
      failing: 'maps back to the stage it was written for',
    },
  },
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
      change: ["extIdOf: (id) => `${one.chat_id ?? ''}/${id}`,", 'extIdOf: (id) => id,'],
      failing: 'parses a message',
    },
  },
  'src/inbox/inboundKinds.test.ts': {
    'A missed call ends the turn of the question before it': {
      file: 'src/inbox/decideInbound.ts',
      change: ['(before?.turns ?? 0) + (isTurn ? 1 : 0)', '(before?.turns ?? 0) + 1'],
      failing: 'leaves the due answer to the bot',
    },
    "An opt-out leaves operators' queued messages": {
      file: 'src/leads/changeStage.ts',
      change: ['includeOperators: true', 'includeOperators: false'],
      failing: 'cancels every queued message on an opt-out',
    },
  },
  'src/inbox/parkedItems.test.ts': {
    'A parked report that cannot be applied is tried with all others without end': {
      file: 'src/inbox/store/reports.ts',
      removed: '|| array(select id from inbox where ${IS_DUE_AGAIN} order by retry_at limit $1)',
      failing: 'is deferred, and does not keep others from being applied together',
    },
  },
};
