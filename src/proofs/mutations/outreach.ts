/** Mutations of first messages, follow-ups and working hours. */
import type { MutationsByTest } from './mutation.ts';

export const OUTREACH_MUTATIONS: MutationsByTest = {
  'src/leads/tags.test.ts': {
    'A lead that somebody edits is not planned again': {
      file: 'src/leads/routes.ts',
      removed: '  await planLeads(tx, [id]);\n',
      failing: 'keeps tags and owner that a PUT leaves out, and changes its version with them',
    },
  },
  'src/leads/contacts.test.ts': {
    'A lead that gets another address is not planned again': {
      file: 'src/leads/routes.ts',
      removed: '    await planLeads(tx, [contact.lead_id]);\n    await notifyLeadChanged(tx, contact);\n',
      failing: 'keeps a hidden number when the contact is saved again',
    },
  },
  'src/channels/ownership.test.ts': {
    'A lead whose dialogue is opened by hand is not planned again': {
      file: 'src/conversations/routes.ts',
      removed: '  await planLeads(tx, [leadId]);\n',
      failing: 'gives the other company no dialogue with the people of the owner',
    },
  },
  'src/outreach/sendFirstMessages.test.ts': {
    'First messages of a product are claimed concurrently': {
      file: 'src/outreach/claimFirstMessages.ts',
      removed: 'await lockQueue(tx, productId);',
      failing: 'keeps the interval to one that another worker claims at the same time',
    },
    'One first message that cannot be stored delays another one': {
      file: 'src/outreach/claimFirstMessages.ts',
      disabled: 'if (others.length > 0)',
      failing: 'is sent to the others of a batch when that of one cannot be stored',
    },
  },
  'src/outreach/evaluateDue.test.ts': {
    'A lead joins a locked queue and is forgotten there': {
      change: ['queue === null || due.has(productId)', 'queue === null || productId !== 0'],
      failing: 'leaves a lead due that would join a queue which is locked',
    },
    'A change during an evaluation is forgotten': {
      file: 'src/leads/store/plans.ts',
      removed: 'xmin = pg_current_xact_id()::xid and ',
      failing: 'evaluates a lead again that changes while it is evaluated',
    },
    'One lead that cannot be evaluated stops the plan of all': {
      file: 'src/platform/inHalves.ts',
      change: ['isUnavailable(error) || isTooSlow(error) || item === undefined', 'true'],
      failing: 'defers a lead that cannot be evaluated, longer each time, and evaluates the others',
    },
    'A lead is evaluated while another worker acts on it': {
      file: 'src/outreach/store/outreach.ts',
      change: ["<= clock_timestamp()) and ${isUnclaimed('o')}`;", '<= clock_timestamp())`;'],
      failing: 'leaves a lead to the worker that has claimed it',
    },
  },
  'src/outreach/decideFirstMessages.test.ts': {
    'Leads who are asleep delay those behind them': {
      change: ['const { freeAt } = decision.queue;', 'const freeAt = decision.until;'],
      failing: 'is looked at again when the limit allows',
    },
    'A batch has two first messages to one person': {
      change: [' || persons.has(personKey(contact.address))', ''],
      failing: 'gets one message for two leads with the same address',
    },
    'A first message goes to a deleted person': {
      disabled: 'if (isSuppressed)',
      failing: 'gets nothing at a suppressed address, one that was written to, or one that has just written',
    },
    'A first message goes to a lead that has just written': {
      disabled: 'if (recipient.unprocessedOn.includes(channelId))',
      failing: 'gets nothing at a suppressed address, one that was written to, or one that has just written',
    },
  },
  'src/outreach/pauseOutreach.test.ts': {
    'A paused product sends first messages': {
      file: 'src/outreach/plan.ts',
      removed: "if (settings.isPaused) return wait({ leadId: lead.id, reason: { code: 'paused' } });",
      failing: 'sends no first messages and no follow-ups while paused',
    },
    'A paused product plans follow-ups': {
      file: 'src/outreach/plan.ts',
      removed: "if (settings.isPaused) return notDue({ code: 'paused' });",
      failing: 'sends no first messages and no follow-ups while paused',
    },
    'A message of outreach that waits leaves while outreach is paused': {
      file: 'src/outreach/checkSend.ts',
      disabled: 'if (isOutreach && settings.isPaused)',
      failing: 'keeps follow-ups and first messages back that wait to be sent',
    },
    'A resumed product is not planned again': {
      file: 'migrations/functions/reevaluate_after_product.sql',
      change: ['old.outreach_paused_at is distinct from new.outreach_paused_at', 'false'],
      failing: 'sends no first messages and no follow-ups while paused',
    },
    'A product is paused again, and the audit log says so twice': {
      file: 'src/products/routes.ts',
      removed: 'if (!isChanged) return after;',
      failing: 'is paused and resumed once',
    },
  },
  'src/outreach/sendFollowUp.test.ts': {
    'A lead is not planned again after a message to it': {
      file: 'src/engine/rules/conversation.ts',
      change: ['!(hasLeft(was) && hasLeft(is))', '!hasLeft(is)'],
      failing: 'run in sequence and end',
    },
    'A lead that has answered in another dialogue gets a follow-up': {
      file: 'src/outreach/plan.ts',
      disabled: 'if (lead.lastUserAt !== null && lead.lastUserAt > dialogue.last.at) return',
      failing: 'are not written after the lead has answered in a dialogue that is not the main one',
    },
    'A lead expires whose message is not processed yet': {
      file: 'src/outreach/expireLeads.ts',
      removed: ' && !unprocessed.has(lead.id)',
      failing: 'does not expire before what it wrote has been processed',
    },
  },
  'src/outreach/workingHours.test.ts': {
    'Working hours end a minute late': {
      change: ['minute < window.end', 'minute <= window.end'],
      failing: 'minute-by-minute search',
    },
  },
  'src/outreach/plan.test.ts': {
    'The plan ignores the interval': {
      removed: 'if (spacing > 0) freeAt = now + spacing;',
      failing: 'decides no more first messages than limits, warm-up and interval allow',
    },
    'The plan ignores that a limit was raised today': {
      change: ['usedToday < limitsAt(limits, previousLimits, now)[type]', 'usedToday < limit'],
      failing: 'decides no more first messages than limits, warm-up and interval allow',
    },
    'A lead expires to whom an answer is owed': {
      removed: ' || lead.owesAnswer',
      failing: 'expires a lead its hours after our answer, and not while an answer is owed or a human owns it',
    },
  },
  'src/outreach/sendTimes.test.ts': {
    "A first message leaves before its day's Send at": {
      disabled: 'if (sendAt > at)',
      failing: "is the first minute at or after the day's Send at within working hours, for any zones",
    },
    'A first message that is sent again waits for working hours alone': {
      file: 'src/outreach/checkSend.ts',
      removed: 'if (tooEarly !== null) return tooEarly;',
      failing: 'lets a first message that is sent again wait for the Send at of the day',
    },
    'A lead waits without end after the next change of the clock': {
      change: ['change > from + LAST_CHANGE_MS', 'change > from'],
      failing: 'possible only after the next change of the clock',
    },
  },
  'src/products/previousLimits.test.ts': {
    'A raised limit sends at once': {
      change: [
        'if (previousLimits === null || at >= previousLimits.until) return limits;',
        'if (at > 0) return limits;',
      ],
      failing: 'keeps the limit of the last Send at through several changes of one day',
    },
    'A second change of the day takes the first for the limit that was in force': {
      change: ['previousLimits?.limits ?? dailyLimits(before.messagingConfig)', 'dailyLimits(before.messagingConfig)'],
      failing: 'keeps the limit of the last Send at through several changes of one day',
    },
  },
  'src/proofs/simulate/sendAt.test.ts': {
    'A limit that is raised in the evening sends at night': {
      file: 'src/products/routes.ts',
      change: ['{ ...body, ...(await clockAfter(tx, before, body)) }', 'body'],
      failing: "sends each first message at or after its day's Send at",
    },
  },
  'src/outreach/expiry.test.ts': {
    'A lead expires whose answer has failed or is unconfirmed': {
      file: 'src/outreach/store/owedAnswers.ts',
      change: [
        "m.side = 'bot' and m.status in ('sent', 'delivered', 'read')\n       and (m.thread_at",
        "m.side = 'bot' and m.status <> 'scheduled'\n       and (m.thread_at",
      ],
      failing: 'when its answer has failed, or nobody knows whether it arrived',
    },
    'An answer to an earlier message counts as one to the last': {
      file: 'src/outreach/store/owedAnswers.ts',
      removed: "\n       and (m.author <> 'bot' or m.turn is null or m.turn >= o.turn)",
      failing: 'does not take an answer to an earlier message for one to the last',
    },
    'A lead expires while a message of ours waits for its time': {
      file: 'src/outreach/store/owedAnswers.ts',
      change: ["['scheduled', 'sending']", "['sending']"],
      failing: 'does not expire while what an operator has scheduled waits',
    },
    'One answered dialogue lets a lead expire who waits in another': {
      file: 'src/outreach/store/facts.ts',
      change: ['bool_or(${OWES_ANSWER}) as owes_answer', 'bool_and(${OWES_ANSWER}) as owes_answer'],
      failing: 'in another of its dialogues, where it has written last',
    },
    'A late report about an answer evaluates nobody': {
      file: 'src/engine/rules/conversation.ts',
      change: ['!(hasLeft(was) && hasLeft(is))', "(was.status === 'sending' || !hasLeft(is))"],
      failing: 'when its answer has failed, or nobody knows whether it arrived',
    },
  },
  'src/outreach/handBack.test.ts': {
    'The bot answers although an operator had it stay silent': {
      file: 'src/conversations/ownership.ts',
      removed: "if (staySilent) await changeDialogues(tx, { dialogueIds: [id] }, { kind: 'closed' });\n  else ",
      failing: 'stays silent when told so, needs nobody, and answers the next message',
    },
    'What was closed without an answer is answered after the next hand-over': {
      file: 'src/conversations/store/handBack.ts',
      removed: '\n     and m.id > coalesce(d.closed_msg_id, 0)',
      failing: 'stays silent when told so, needs nobody, and answers the next message',
    },
    'A lead that was closed without an answer never expires': {
      file: 'src/outreach/store/owedAnswers.ts',
      change: [
        'when o.closed_msg_id >= o.last_user_msg_id then o.closed_at',
        'when o.closed_msg_id < 0 then o.closed_at',
      ],
      failing: 'lets a lead expire after its hours of silence when it was closed without an answer',
    },
    'Nobody is told that the answer waits for working hours': {
      change: ["answer: open ? 'now' : 'later'", "answer: 'now'"],
      failing: 'says when working hours begin, and the answer waits for them',
    },
  },
  'src/outreach/routes.test.ts': {
    'A schedule begins in Moscow whatever the product': {
      file: 'src/outreach/schedule.ts',
      change: ['productZone === DEFAULT_PRODUCT_ZONE ? DEFAULT_TIMEZONE : productZone', 'DEFAULT_TIMEZONE'],
      failing: 'begins in the time zone of its product, and keeps it',
    },
  },
  'src/outreach/chatpushRateLimit.test.ts': {
    "ChatPush's minute counts from the start of a send": {
      file: 'src/outbox/settle.ts',
      removed: 'await restartSendInterval(context, tx, dialogueContext);',
      failing: 'counts the minute from when the vendor received the last message',
    },
    'A message that waits for another of its account gives no reason': {
      file: 'src/outbox/store/dueMessages.ts',
      change: ['when a.next_send_at > domain_now() then', 'when h.vendor is null then'],
      failing: "sends an account's messages a minute apart in the order of their due times",
    },
  },
  'src/outreach/claimFirstMessages.test.ts': {
    'Only the periodic check notices a channel without delivery reports': {
      change: ['settings: await stopSilentChannels(tx, read)', 'settings: read.settings'],
      failing: 'claims nothing for a channel whose last ten messages were not acknowledged',
    },
  },
  'src/outreach/lostClaims.test.ts': {
    'A claim whose commit was not answered waits for a restart of the node': {
      file: 'src/platform/lease.ts',
      change: ['${until} <= clock_timestamp()\n', 'false\n'],
      failing: 'sends a message that is claimed and that nothing sends',
    },
    'A message is sent by a claim that may have ended': {
      file: 'src/outbox/send.ts',
      removed: ' && holds(claim)',
      failing: 'does not send by a check of its claim that is older than the lease',
    },
    'An instance reclaims what it sends itself': {
      file: 'src/outbox/reclaim.ts',
      disabled: 'if (context.claims.isHeld(MESSAGES, { id })) return',
      failing: 'does not reclaim a message that it sends itself',
    },
  },
  'src/outreach/recipientNotFound.test.ts': {
    'A first message without a recipient uses up quota': {
      file: 'src/engine/rules/delivery.ts',
      change: ["about === 'recipient' && message", 'about === null && message'],
      failing: 'returns its quota and tries the other contact once',
    },
    'A lead that somebody has moved since is moved back': {
      file: 'src/leads/changeStage.ts',
      change: ['if (last?.by !== by || last.to !== lead.stage) return;', 'if (!last) return;'],
      failing: 'keeps a stage set since',
    },
  },
  'src/outreach/firstMessageRetry.test.ts': {
    'Leads without dialogues are not locked while their first messages are claimed': {
      file: 'src/outreach/store/firstMessages.ts',
      removed: ' and (select count(*) from locked_leads) >= 0',
      failing: 'sends nothing to a lead deactivated during the claim',
    },
    'A first message that is sent again does not keep the Send at of its day': {
      file: 'src/outreach/sendTimes.ts',
      disabled: 'if (sendAt > at)',
      failing: 'waits for the Send at of the day on which a refused first message is sent again',
    },
    'A requeued first message that was deleted blocks the queue': {
      file: 'src/outreach/decideFirstMessages.ts',
      disabled: 'if (recipient.isContacted)',
      failing: 'does not recreate a deleted retry, and sends the others in the queue',
    },
    'A lead can be deactivated between the plan and the claim of its first message': {
      file: 'src/outreach/store/firstMessages.ts',
      removed: ' for share',
      failing: 'sends nothing to a lead deactivated during the claim',
    },
    'A refused first message is sent again in the middle of a conversation': {
      file: 'src/outreach/sendPolicy.ts',
      disabled: 'if (await hasOtherConversation(tx, message.id))',
      failing: 'does not retry a refused first message in the middle of a conversation',
    },
    'A retry of many sends a first message again although another contact of the lead got one': {
      file: 'src/outbox/store/deliveryFailures.ts',
      removed: "when t.origin = 'first' and ${HAS_OTHER_CONVERSATION} then 'talked'",
      failing: 'does not retry a refused first message after another contact of the lead got one',
    },
    'One first message that cannot be claimed stops all others': {
      file: 'src/platform/inHalves.ts',
      change: ['isUnavailable(error) || isTooSlow(error) || item === undefined', 'true'],
      failing: 'sends other retried first messages when one cannot be claimed',
    },
  },
};
