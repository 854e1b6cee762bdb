/** Messages of leads, answers of models and acts of operators in the engine in memory. The deciders and rules decide. */
import { decideReply, mayAnswer } from '../../conversations/decideReply.ts';
import type { HumanRequest } from '../../conversations/humanRequest.ts';
import { hasOptOutHint } from '../../conversations/stopWriting.ts';
import { decideInbound, isStaleAfter, wroteOf } from '../../inbox/decideInbound.ts';
import type { Stage } from '../../leads/contract.ts';
import { type BlockReason, blockReasonText, effectOfStage, type HandOver } from '../../leads/lead.ts';
import type { OptOutSource, OptOutState } from '../../leads/personOptOut.ts';
import { cancelPointless, cancelWaiting, changeDialogue, restoreMoved } from './changes.ts';
import { addMessage, type MemoryLead } from './lead.ts';
import { noteRecent, queueText, resumeFirstMessages } from './outbox.ts';
import type { MemoryDialogue } from './rows.ts';
import type { MemoryState, TextRequest } from './state.ts';
import { forgetSettled, isUnanswered } from './thread.ts';

/** Receive a text from a lead, who has a dialogue. */
export function receiveText(state: MemoryState, lead: MemoryLead, text: string): void {
  const { dialogue } = lead;
  if (!dialogue) return;
  const id = state.nextId();
  const decision = decideInbound([inboundFacts(state, lead, { id, dialogue, text })], state);
  noteRecent(dialogue, { side: 'user', kind: 'text', text, at: state.now });
  for (const { is_sign: isSign } of decision.messages) if (!isSign) dialogue.asked = { id, at: state.now };
  for (const change of decision.leads) if (change.kind === 'stage') changeStage(state, lead, { stage: change.stage });
  for (const change of decision.leads) {
    if (change.kind === 'hand_over') handOver(state, lead, change.reason);
    if (change.kind === 'opt_out') optOut(state, lead, 'words');
    if (change.kind === 'doubt') doubt(state, lead, { source: 'words', asksPeople: false });
  }
  for (const change of decision.dialogues) {
    changeDialogue(state, lead, wroteOf(change, new Map([[id, id]])));
    const { turn } = dialogue.state;
    const reason = blockReasonText({ code: 'newer_message' });
    cancelPointless(state, lead, { reason, isPointless: (message) => isStaleAfter(change, message, turn) });
  }
  state.markContacted(lead, dialogue.contactId);
  resumeFirstMessages(state, dialogue.channelId);
}

function inboundFacts(
  { now, settings }: MemoryState,
  { columns: facts }: MemoryLead,
  { id, dialogue, text }: { id: number; dialogue: MemoryDialogue; text: string },
): Parameters<typeof decideInbound>[0][number] {
  const at = new Date(now).toISOString();
  const { productId, isActive: is_product_active } = settings;
  const { contactId, channelId, recent } = dialogue;
  const { turn, owner } = dialogue.state;
  return {
    id,
    item: { text, mediaKind: 'text', mediaUrl: null, notPerson: null, occurredAt: at },
    ext_id: String(id),
    chat_id: String(dialogue.facts.id),
    received_at: at,
    trace: null,
    is_known: false,
    channel: { id: channelId ?? 0 },
    channel_id: channelId ?? 0,
    chat: {
      dialogue: { id: dialogue.facts.id, product_id: productId, contact_id: contactId ?? 0, turn, owner },
      lead: { id: facts.id, product_id: productId, ...leadColumns(facts) },
      is_product_active,
      recent,
    },
  };
}

const leadColumns = ({ stage, isActive, optedOut }: MemoryLead['columns']) => ({
  stage,
  is_active: isActive,
  recognized_deactivation_request: optedOut,
});

/** What a model has written, or why there is nothing to send. */
export type WrittenText =
  | { readonly kind: 'text'; readonly text: string }
  /** The bot hands the dialogue over; `sentence`: what the lead is told then, empty for nothing. */
  | ({ readonly kind: 'hand_over'; readonly sentence: string; readonly stops?: boolean } & HumanRequest)
  /** The model says that the person wants no more messages. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'none'; readonly reason: string };

/** Answer a lead's turn if it is due, or ask for the answer. */
export function answerTurn(state: MemoryState, lead: MemoryLead): void {
  const { dialogue, columns: facts } = lead;
  const dueAt = dialogue?.state.turn_due_at ?? null;
  if (!dialogue || dueAt === null || dueAt > state.now) return;
  const { turn, owner } = dialogue.state;
  if (!mayAnswer({ lead: leadColumns(facts), product: { is_active: state.settings.isActive }, owner }))
    return storeAnswer(state, lead, { turn, result: { kind: 'none', noAnswer: null } });
  const text = state.texts ? state.texts.reply(facts.id) : '';
  if (text !== null) return storeAnswer(state, lead, { turn, ...resultOf({ kind: 'text', text }) });
  const isAsked = [...state.requests].some(
    (one) => one.kind === 'reply' && one.leadId === facts.id && one.turn === turn,
  );
  if (!isAsked) state.requests.add({ kind: 'reply', leadId: facts.id, turn });
}

/** Store what was written for a turn. */
export const storeWritten = (
  state: MemoryState,
  lead: MemoryLead,
  { turn, written }: Pick<Extract<TextRequest, { kind: 'reply' }>, 'turn'> & { readonly written: WrittenText },
): void => storeAnswer(state, lead, { turn, ...resultOf(written) });

type Result = Parameters<typeof decideReply>[0]['result'];

/** Store the answer to a turn if it is still the current one and the bot may speak. `sentence`: that of a hand-over. */
function storeAnswer(
  state: MemoryState,
  lead: MemoryLead,
  { turn, result, sentence = '' }: { turn: number; result: Result; sentence?: string },
): void {
  const { dialogue, columns: facts } = lead;
  if (!dialogue) return;
  const { last_user_msg_id: replyOn, waiting_since: waitingSince, ...dialogueState } = dialogue.state;
  const {
    event,
    effect,
    optOut: found,
  } = decideReply(
    { turn, result, hasHint: hasOptOutHint(dialogue.recent) },
    {
      turn: dialogueState.turn,
      is_due: dialogueState.turn_due_at !== null,
      owner: dialogueState.owner,
      lead: leadColumns(facts),
      is_product_active: state.settings.isActive,
      has_unprocessed_inbound: false,
      waits: waitingSince !== null,
      failing_ms: null,
    },
  );
  const isStopped = found !== null && found !== 'none' && found.state === 'certain';
  if (found === 'none') dropDoubt(state, lead);
  else if (isStopped) optOut(state, lead, found.source);
  else if (found) doubt(state, lead, { source: found.source, asksPeople: true });
  if (effect === 'hand_over' && result.kind === 'hand_over')
    handOver(state, lead, { code: result.reason, detail: result.detail, isOpen: true });
  changeDialogue(state, lead, event);
  if (effect === 'queue' && result.kind === 'answer')
    queueText(state, lead, { text: result.text, isMarkdown: true, replyOn });
  // Nor does a person who wants no more messages get the sentence of a hand-over.
  if (effect === 'hand_over' && sentence !== '' && !isStopped)
    queueText(state, lead, { text: sentence, isMarkdown: false, origin: 'hand_over', split: false, replyOn });
}

function resultOf(written: WrittenText): { result: Result; sentence?: string } {
  switch (written.kind) {
    case 'text':
      return { result: { kind: 'answer', text: written.text, model: null, prompt: null, renderedPrompt: null } };
    case 'hand_over': {
      const { reason, detail, stops = false, sentence } = written;
      return { result: { kind: 'hand_over', reason, detail, stops }, sentence };
    }
    case 'stop':
      return { result: { kind: 'stop' } };
    case 'none':
      return { result: { kind: 'none', noAnswer: { code: 'model', detail: written.reason } } };
    default:
      return written satisfies never;
  }
}

/** Move a lead to a stage. One that ends the bot's work silences it, or gives the dialogue to people. */
export function changeStage(
  state: MemoryState,
  lead: MemoryLead,
  { stage, isDetected = false }: { readonly stage: Stage; readonly isDetected?: boolean },
): void {
  if (lead.columns.stage === stage) return;
  lead.change({ stage });
  const effect = effectOfStage(stage);
  if (effect === 'silence') stopBot(state, lead, { reason: { code: 'stage', stage } });
  if (effect === 'hand_over' && lead.dialogue?.state.owner === 'bot')
    handOver(state, lead, { code: 'qualified', ...(isDetected ? { isOpen: true } : {}) });
  state.reevaluate(lead);
}

/** Cancel what the bot wants to send to a lead; with `includeOperators`, everything. Nobody is needed any more. */
function stopBot(
  state: MemoryState,
  lead: MemoryLead,
  { reason, includeOperators = false }: { readonly reason: BlockReason; readonly includeOperators?: boolean },
): void {
  changeDialogue(state, lead, { kind: 'lead_left' });
  cancelWaiting(state, lead, { kind: includeOperators ? 'all' : 'of_bot', reason: blockReasonText(reason) });
}

/** Hand a lead's dialogue over to people; without one, the lead as a whole. */
export function handOver(state: MemoryState, lead: MemoryLead, reason: HandOver): void {
  lead.isTakenOver ||= lead.dialogue === null;
  changeDialogue(state, lead, { kind: 'handed_over', reason, operatorId: null, isOpen: reason.isOpen ?? false });
  cancelWaiting(state, lead, { kind: 'of_bot', reason: blockReasonText({ code: 'human', by: reason }) });
  noteLeadChange(state, lead);
}

function noteLeadChange(state: MemoryState, lead: MemoryLead): void {
  lead.noteChange();
  state.reevaluate(lead);
}

/** A person of ours has seen to a dialogue: the sentence of the bot's hand-over is not sent any more. */
export function dropHandOverText(state: MemoryState, lead: MemoryLead, reason: string): void {
  cancelWaiting(state, lead, { kind: 'hand_over', reason });
}

/** What a person writes on the phone. */
const ON_PHONE = {
  author: 'phone',
  text: '',
  anchor: null,
  origin: null,
  step: null,
  group: null,
  replyOn: null,
  hasHours: false,
} as const;

/** Receive a message that a person of ours has written from the phone: the dialogue is that person's from then on. */
export function receiveFromPhone(state: MemoryState, lead: MemoryLead): void {
  const { dialogue } = lead;
  if (!dialogue) return;
  const { now } = state;
  const sent = { id: state.nextId(), ...ON_PHONE, leadId: lead.columns.id, planned: lead.reason, at: now };
  const message = addMessage(dialogue, now, sent);
  message.state = { ...message.state, status: 'sent', scheduled_at: null, sent_at: now };
  forgetSettled(dialogue, message);
  changeDialogue(state, lead, { kind: 'left_elsewhere', message: message.id, at: now, preview: '' });
  if (dialogue.state.owner === 'bot') handOver(state, lead, { code: 'phone' });
  changeDialogue(state, lead, { kind: 'person_wrote', operator: null });
  dropHandOverText(state, lead, blockReasonText({ code: 'human', by: { code: 'phone' } }));
}

/** Return a lead's dialogue to the bot, which answers what is unanswered, or leaves it without an answer. */
export function returnToBot(state: MemoryState, lead: MemoryLead, { staySilent }: { staySilent: boolean }): void {
  lead.isTakenOver = false;
  changeDialogue(state, lead, { kind: 'returned' });
  dropHandOverText(state, lead, 'The bot has the dialogue back');
  noteLeadChange(state, lead);
  if (staySilent) changeDialogue(state, lead, { kind: 'closed' });
  else if (lead.dialogue && isUnanswered(lead.dialogue, state.now))
    changeDialogue(state, lead, { kind: 'reply_requested' });
  else changeDialogue(state, lead, { kind: 'left_unanswered', why: 'late' });
}

/** A person wants no more messages, under any of its leads. */
function optOut(state: MemoryState, lead: MemoryLead, source: OptOutSource): void {
  for (const one of state.leadsOfPerson(lead)) {
    one.change({ isActive: false, optedOut: true });
    stopBot(state, one, { reason: { code: 'opted_out' }, includeOperators: true });
  }
  setOptOut(state, lead, { state: 'certain', source });
}

/** A person may want no more messages: nothing unsolicited is sent until somebody decides. */
function doubt(
  state: MemoryState,
  lead: MemoryLead,
  { source, asksPeople }: { source: OptOutSource; asksPeople: boolean },
): void {
  if (lead.columns.personOptOut?.state === 'certain') return;
  if (asksPeople) changeDialogue(state, lead, { kind: 'opt_out_asked' });
  setOptOut(state, lead, { state: 'doubtful', source });
}

/** The model has answered and not found that the person wants no more messages. What people are asked about stays. */
function dropDoubt(state: MemoryState, lead: MemoryLead): void {
  const { personOptOut: existing } = lead.facts;
  if (existing?.state === 'doubtful' && existing.source === 'words') setOptOut(state, lead, null);
}

/** Note what a person wants, under all of its leads: they are planned again, and what waits for them is looked at again. */
function setOptOut(
  state: MemoryState,
  lead: MemoryLead,
  found: { readonly state: OptOutState; readonly source: OptOutSource } | null,
): void {
  for (const one of state.leadsOfPerson(lead)) {
    one.change({ personOptOut: found && { ...found, since: state.now } });
    if (found?.state !== 'doubtful') changeDialogue(state, one, { kind: 'opt_out_decided' });
    restoreMoved(state, one);
    state.reevaluate(one);
  }
}

/** Stop the bot from writing to a lead. */
export function deactivate(state: MemoryState, lead: MemoryLead): void {
  lead.change({ isActive: false });
  stopBot(state, lead, { reason: { code: 'inactive' } });
  state.reevaluate(lead);
}
