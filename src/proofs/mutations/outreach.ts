/** Mutations of first messages, follow-ups and working hours. */
import type { MutationsByTest } from './mutation.ts';

export const OUTREACH_MUTATIONS: MutationsByTest = {
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
      file: 'migrations/functions/reevaluate_lead.sql',
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
    'A batch has two first messages to one person': {
      change: [' || addresses.has(contact.address)', ''],
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
      file: 'src/outreach/sendPolicy.ts',
      change: ['lead ? [lead.id] : []', '[]'],
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
      file: 'src/inbox/store/reports.ts',
      change: ["coalesce(item->>'errorAbout', '') = 'recipient') as", "item->>'errorAbout' is null) as"],
      failing: 'returns its quota and tries the other contact once',
    },
    'A lead that somebody has moved since is moved back': {
      file: 'src/leads/changeStage.ts',
      change: ['if (last?.by !== by || last.to !== lead.stage) return;', 'if (!last) return;'],
      failing: 'keeps a stage set since',
    },
  },
  'src/outreach/firstMessageRetry.test.ts': {
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
