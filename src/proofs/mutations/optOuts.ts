/** Mutations of the wish of people to get no more messages: what it stops, who decides about it, and how it is lifted. */
import type { MutationsByTest } from './mutation.ts';

const VERBS = 'src/conversations/optOut.ts';
const STORE = 'src/leads/store/optOuts.ts';

export const OPT_OUT_MUTATIONS: MutationsByTest = {
  'src/conversations/optOut.test.ts': {
    'A person who asked to stop gets a first message as a new lead': {
      file: 'src/outreach/plan.ts',
      removed: '  if (lead.personOptOut) return wait({ leadId: lead.id, reason: optOutReason(lead.personOptOut) });\n',
      failing: 'gets no first message as a new lead of another product',
    },
    'A person who asked to stop gets follow-ups in another product': {
      file: 'src/outreach/plan.ts',
      removed: '  if (lead.personOptOut) return notDue(optOutReason(lead.personOptOut));\n',
      failing: 'is not written to because its lead is activated again',
    },
    "A person's wish is lost when its lead is deleted": {
      file: 'src/leads/removeLeads.ts',
      removed: '  await carryOptOuts(tx, cipher, ids);\n',
      failing: 'stays so under a contact that was added before the lead was deleted',
    },
    "A person's wish does not hold for a contact that is added": {
      file: 'src/outreach/evaluateDue.ts',
      removed: '  await carryOptOuts(tx, context.cipher, optedOut);\n',
      failing: 'stays so under a contact that its lead gets in any other way',
    },
    "A person's wish holds for another company": {
      file: STORE,
      removed: 'i.company_id = g.company_id and ',
      failing: 'does not belong to another company',
    },
    'Messages that wait in other products stay scheduled after an opt-out': {
      file: 'src/conversations/propagateOptOut.ts',
      removed:
        "        if (optedOut?.state === 'certain') await follow(tx, { lead, isSameProduct: mine === lead.product_id });\n",
      failing: 'loses what waits in other products, and is not deactivated there',
    },
    'Leads of other products are deactivated by an opt-out': {
      file: 'src/conversations/propagateOptOut.ts',
      change: ['isSameProduct: mine === lead.product_id', 'isSameProduct: true'],
      failing: 'loses what waits in other products, and is not deactivated there',
    },
    'An upgrade forgets the identities of people who had opted out': {
      file: VERBS,
      removed: '    await context.transact((tx) => carryOptOuts(tx, context.cipher, leadIds));\n',
      failing: 'is known after an upgrade by the identities of the leads that had opted out',
    },
    'An operator writes to a person who opted out without confirming it': {
      file: 'src/conversations/optOutByHand.ts',
      change: ['if (isConfirmed) return;', 'if (!isConfirmed) return;'],
      failing: 'cannot be written to by hand unless that is confirmed',
    },
    'The model is not offered to end all messages': {
      file: 'src/conversations/reply.ts',
      change: ['mayStopWriting: true', 'mayStopWriting: false'],
      failing: 'is decided about by the model, with all vendors',
    },
    "A model's answer leaves it open whether the lead wants no more messages": {
      file: 'src/conversations/storeReply.ts',
      disabled: 'if (state.has_doubt) await',
      failing: 'is held in all products until the model has answered',
    },
    'Nobody is asked about a message that may be a request to stop': {
      file: 'src/engine/rules/attention.ts',
      change: ['dialogue.may_opt_out_since ?? now.domain', 'dialogue.may_opt_out_since'],
      failing: 'comes to people after an hour if nobody decides',
    },
    'What was held stays held after people have decided': {
      file: 'src/conversations/optOut.ts',
      removed: '  await restoreMoved(tx, { leadIds: [leadId] });\n',
      failing: 'keeps what waits for it, and gets it when people have decided',
    },
    'A lifted opt-out is recognised again in the old words': {
      file: 'src/conversations/reply.ts',
      disabled: "if (history.length < written.length && history.at(-1)?.side !== 'user') return",
      failing: 'does not count again what was written before',
    },
    'Clearing the field lifts nothing': {
      file: 'src/leads/routes.ts',
      disabled: 'if (isOptedOutBy(body, before))',
      failing: 'is done by clearing the field',
    },
  },
  'src/conversations/decideReply.test.ts': {
    'A model silences a lead whose words have no hint of such a wish': {
      file: 'src/leads/personOptOut.ts',
      change: ["hasHint ? 'certain' : 'doubtful'", "hasHint ? 'certain' : 'certain'"],
      failing: 'asks people about the tool without a hint',
    },
    'A promise of silence is not kept': {
      change: ['promisesSilence(result.text) ? {', 'false ? {'],
      failing: 'takes a promise as the wish',
    },
  },
  'src/conversations/classifyTurn.test.ts': {
    'Stage detection judges what was written before an opt-out was lifted': {
      change: ['sinceLift: true', 'sinceLift: false'],
      failing: 'is not classified',
    },
    'Stage detection leaves it open whether a lead wants no more messages': {
      change: ['if (hasOptedOut === false)', 'if (hasOptedOut === null)'],
      failing: 'is none when the refusal qualification says so',
    },
  },
  'src/outbox/decideSend.test.ts': {
    'A message that nobody asked for leaves to a person who wants none': {
      disabled: 'if (personOptOut && isUnwanted(message, personOptOut))',
      failing: 'cancels a follow-up to a person who wants no more messages',
    },
    'A message leaves while it is open whether the person wants it': {
      change: ["if (personOptOut.state === 'certain') return", 'return'],
      failing: 'holds a follow-up to a person who may want no more',
    },
    'A person who opted out gets no answers': {
      file: 'src/leads/personOptOut.ts',
      disabled: 'if (message.reply_on_msg_id !== null) return',
      failing: 'lets an answer leave to a person who wants no more messages',
    },
    'What an operator has confirmed is cancelled': {
      file: 'src/leads/personOptOut.ts',
      change: ["message.author === 'bot' || instantOf(message) <= since", 'true'],
      failing: 'lets leave what an operator has confirmed since',
    },
    "The bot's promise of silence is not sent": {
      change: [
        'personOptOut && isPromise(message, personOptOut) ? { ...due.lead, is_active: true } : due.lead',
        'due.lead',
      ],
      failing: 'lets the promise of silence leave',
    },
    'Answers leave after an opt-out as if they promised silence': {
      file: 'src/leads/personOptOut.ts',
      change: ["state === 'certain' && source === 'promise'", "state === 'certain'"],
      failing: 'cancels an answer after an opt-out',
    },
  },
  'src/outreach/memory/engine.test.ts': {
    'In memory the other leads of a person are written to after an opt-out': {
      file: 'src/outreach/memory/inbound.ts',
      change: [
        'personOptOut: found && { ...found, since: state.now } });',
        'personOptOut: one === lead || !found ? found && { ...found, since: state.now } : null });',
      ],
      failing: 'is silent when a lead hints at it and the model says so',
    },
    'In memory a doubt outlives the answer': {
      file: 'src/outreach/memory/inbound.ts',
      change: ["if (found === 'none') dropDoubt(state, lead);\n  else if", 'if'],
      failing: 'holds what nobody asked for while it is open',
    },
  },
};
