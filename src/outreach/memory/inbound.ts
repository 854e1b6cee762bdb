/** Messages of leads and acts of operators in the engine in memory; `decideInbound` decides about the messages. */
import { decideReply } from '../../conversations/decideReply.ts';
import type { HumanRequest } from '../../conversations/humanRequest.ts';
import { decideInbound } from '../../inbox/decideInbound.ts';
import { botStoppedStages, type Stage } from '../../leads/contract.ts';
import type { HandOver } from '../../leads/lead.ts';
import { recogniseOptOut } from '../../leads/optOut.ts';
import type { OptOutSource } from '../../leads/personOptOut.ts';
import { cancel, cancelPending, noteOwed, queueText, restoreWantedTimes, resumeFirstMessages } from './outbox.ts';
import { type MemoryDialogue, type MemoryLead, type MemoryState, noteRecent, type TextRequest } from './state.ts';

/** A lead's message without an answer is answered after the bot's return if it is younger than this, milliseconds. */
const UNANSWERED_MS = 24 * 3_600_000;

/** Receive a text from a lead, who has a dialogue. */
export function receiveText(state: MemoryState, lead: MemoryLead, text: string): void {
  const { dialogue, facts } = lead;
  if (!dialogue) return;
  const at = new Date(state.now).toISOString();
  const id = state.nextId();
  const item = { text, mediaKind: 'text', mediaUrl: null, notPerson: null, occurredAt: at };
  const productId = state.settings.productId;
  const decision = decideInbound(
    [
      {
        id,
        item,
        ext_id: String(id),
        chat_id: String(dialogue.facts.id),
        received_at: at,
        trace: null,
        is_known: false,
        channel: { id: dialogue.channelId ?? 0 },
        channel_id: dialogue.channelId ?? 0,
        chat: {
          dialogue: {
            id: dialogue.facts.id,
            product_id: productId,
            contact_id: dialogue.contactId ?? 0,
            turn: dialogue.turn,
            owner: dialogue.owner,
          },
          lead: {
            id: facts.id,
            product_id: productId,
            stage: facts.stage,
            is_active: facts.isActive,
            recognized_deactivation_request: facts.optedOut,
          },
          is_product_active: state.settings.isActive,
          recent: dialogue.recent,
        },
      },
    ],
    { debounceSeconds: state.debounceSeconds },
  );
  noteRecent(dialogue, { side: 'user', kind: 'text', text, at: state.now });
  for (const change of decision.leads) {
    if (change.kind === 'stage') changeStage(state, lead, change.stage);
    if (change.kind === 'hand_over') handOver(state, lead, change.reason);
    if (change.kind === 'opt_out') optOut(state, lead, 'words');
    if (change.kind === 'doubt') doubt(state, lead, 'words');
  }
  for (const change of decision.dialogues) {
    if (change.user_item !== null) noteUserMessage(lead, dialogue, { id, at: state.now });
    applyTurns(state, lead, change);
    noteOwed(lead);
  }
  dialogue.hasHint ||= recogniseOptOut(text) !== 'none';
  state.markContacted(lead, dialogue.contactId);
  resumeFirstMessages(state, dialogue.channelId);
  state.reevaluate(lead);
}

type DialogueChange = ReturnType<typeof decideInbound>['dialogues'][number];

/** Begin turns, and cancel bot messages that the lead's message made stale. */
function applyTurns(
  state: MemoryState,
  lead: MemoryLead,
  { turns, answer_after: seconds, is_sign }: DialogueChange,
): void {
  const { dialogue } = lead;
  if (!dialogue) return;
  dialogue.turn += turns;
  if (turns > 0) dialogue.wantsAnswer = true;
  if (turns > 0) {
    dialogue.turnDueAt = seconds === null ? null : state.now + seconds * 1000;
    if (dialogue.turnDueAt !== null) state.dueTurns.add(dialogue.turnDueAt, lead.facts.id);
  }
  const { turn } = dialogue;
  const isStale = turns > 0;
  const stale = dialogue.waiting.filter(
    (one) =>
      one.author === 'bot' &&
      ((isStale && one.debounce_guard && (one.turn ?? turn) < turn) || (is_sign && one.ping_step_number !== null)),
  );
  cancel(state, lead, stale);
}

/** Note a lead's message: follow-ups count from it. */
function noteUserMessage(lead: MemoryLead, dialogue: MemoryDialogue, { id, at }: { id: number; at: number }): void {
  const { facts } = dialogue;
  lead.facts.hasConversation = true;
  lead.facts.lastUserAt = at;
  lead.facts.answeredAt = null;
  facts.last = { id, ours: false, at, failed: false };
  facts.anchor = id;
  facts.anchorAt = at;
  facts.stepsDone = 0;
  facts.stepAt = null;
  dialogue.stepsSent = 0;
}

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
  const { dialogue, facts } = lead;
  if (!dialogue || dialogue.turnDueAt === null || dialogue.turnDueAt > state.now) return;
  dialogue.turnDueAt = null;
  noteOwed(lead);
  const text = state.texts ? state.texts.reply(facts.id) : '';
  if (text === null) state.requests.add({ kind: 'reply', leadId: facts.id, turn: dialogue.turn });
  else storeAnswer(state, lead, { turn: dialogue.turn, written: { kind: 'text', text } });
}

type WrittenTurn = Pick<Extract<TextRequest, { kind: 'reply' }>, 'turn'> & { readonly written: WrittenText };

/** Store the answer to a turn if it is still the current one and the bot may speak. */
export function storeAnswer(state: MemoryState, lead: MemoryLead, { turn, written }: WrittenTurn): void {
  const { dialogue, facts } = lead;
  if (!dialogue) return;
  const { effect, optOut: found } = decideReply(
    { turn, result: resultOf(written), hasHint: dialogue.hasHint },
    {
      turn: dialogue.turn,
      is_due: true,
      owner: dialogue.owner,
      lead: { stage: facts.stage, is_active: facts.isActive, recognized_deactivation_request: facts.optedOut },
      is_product_active: state.settings.isActive,
      has_unprocessed_inbound: false,
      waits: true,
      failing_ms: null,
    },
  );
  if (found === 'none') dropDoubt(state, lead);
  else if (found?.state === 'certain') optOut(state, lead, found.source);
  else if (found) doubt(state, lead, found.source);
  const reply_on_msg_id = dialogue.facts.anchor;
  if (effect === 'queue' && written.kind === 'text')
    queueText(state, lead, { text: written.text, isMarkdown: true, reply_on_msg_id });
  if (effect !== 'hand_over' || written.kind !== 'hand_over') return;
  const { reason: code, detail, sentence: text } = written;
  handOver(state, lead, { code, detail, isOpen: true });
  const isStopped = found !== null && found !== 'none' && found.state === 'certain';
  if (text !== '' && !isStopped)
    queueText(state, lead, { text, isMarkdown: false, origin: 'hand_over', split: false, reply_on_msg_id });
}

function resultOf(written: WrittenText): Parameters<typeof decideReply>[0]['result'] {
  switch (written.kind) {
    case 'text':
      return { kind: 'answer', text: written.text, model: null, prompt: null, renderedPrompt: null };
    case 'hand_over':
      return { kind: 'hand_over', reason: written.reason, detail: written.detail, stops: written.stops ?? false };
    case 'stop':
      return { kind: 'stop' };
    case 'none':
      return { kind: 'none', noAnswer: { code: 'model', detail: written.reason } };
    default:
      return written satisfies never;
  }
}

/** Move a lead to a stage; one that ends the bot's work cancels what it wants to send. */
export function changeStage(state: MemoryState, lead: MemoryLead, stage: Stage): void {
  lead.facts.stage = stage;
  if (botStoppedStages.includes(stage)) cancelPending(state, lead);
  state.reevaluate(lead);
}

/** Hand a lead's dialogue over to a human. */
export function handOver(state: MemoryState, lead: MemoryLead, reason: HandOver): void {
  const { dialogue, facts } = lead;
  facts.humanOwned = true;
  if (dialogue) {
    dialogue.owner = 'human';
    dialogue.ownerReason = reason;
    dialogue.isHandOverOpen = reason.isOpen ?? false;
    dialogue.turnDueAt = null;
  }
  noteOwed(lead);
  cancelPending(state, lead);
  state.reevaluate(lead);
}

/** A human has seen to a dialogue: the sentence of the bot's hand-over is not sent any more. */
export function seeToHandOver(state: MemoryState, lead: MemoryLead): void {
  const { dialogue } = lead;
  if (!dialogue) return;
  dialogue.isHandOverOpen = false;
  cancel(
    state,
    lead,
    dialogue.waiting.filter(({ origin }) => origin === 'hand_over'),
  );
}

/** Receive a message that a person of ours has written from the phone: the dialogue is that person's from then on. */
export function receiveFromPhone(state: MemoryState, lead: MemoryLead): void {
  const { dialogue } = lead;
  if (!dialogue) return;
  lead.facts.hasConversation = true;
  dialogue.facts.last = { id: state.nextId(), ours: true, at: state.now, failed: false };
  if (lead.facts.lastUserAt !== null) lead.facts.answeredAt = state.now;
  if (dialogue.owner === 'bot') handOver(state, lead, { code: 'phone' });
  seeToHandOver(state, lead);
}

/** Return a lead's dialogue to the bot, which answers what is unanswered, or leaves it without an answer. */
export function returnToBot(state: MemoryState, lead: MemoryLead, { staySilent }: { staySilent: boolean }): void {
  const { dialogue, facts } = lead;
  facts.humanOwned = false;
  state.reevaluate(lead);
  if (!dialogue) return;
  dialogue.owner = 'bot';
  dialogue.ownerReason = null;
  seeToHandOver(state, lead);
  if (staySilent) {
    if (facts.lastUserAt !== null) facts.answeredAt = state.now;
    dialogue.closedAnchor = dialogue.facts.anchor;
    return noteOwed(lead);
  }
  const { last, outgoing, anchor } = dialogue.facts;
  if (anchor === dialogue.closedAnchor || !dialogue.wantsAnswer) return;
  if (last === null || last.ours || outgoing || last.at <= state.now - UNANSWERED_MS) return;
  dialogue.turnDueAt = state.now;
  noteOwed(lead);
  state.dueTurns.add(state.now, facts.id);
}

/** A person wants no more messages, under any of its leads. */
function optOut(state: MemoryState, lead: MemoryLead, source: OptOutSource): void {
  for (const one of [lead, ...state.otherLeadsOfPerson(lead)]) {
    one.facts.optedOut = true;
    one.facts.personOptOut = { state: 'certain', source, since: state.now };
    deactivate(state, one, { includeOperators: true });
  }
}

/** A person may want no more messages: nothing unsolicited is sent until somebody decides. */
function doubt(state: MemoryState, lead: MemoryLead, source: OptOutSource): void {
  for (const one of [lead, ...state.otherLeadsOfPerson(lead)])
    if (one.facts.personOptOut?.state !== 'certain') {
      one.facts.personOptOut = { state: 'doubtful', source, since: state.now };
      state.reevaluate(one);
    }
}

/** The model has answered and not found that the person wants no more messages. What people are asked about stays. */
function dropDoubt(state: MemoryState, lead: MemoryLead): void {
  for (const one of [lead, ...state.otherLeadsOfPerson(lead)]) {
    if (one.facts.personOptOut?.state !== 'doubtful' || one.facts.personOptOut.source !== 'words') continue;
    one.facts.personOptOut = null;
    restoreWantedTimes(state, one);
    state.reevaluate(one);
  }
}

/** Stop the bot from writing to a lead. */
export function deactivate(state: MemoryState, lead: MemoryLead, which: { includeOperators?: boolean } = {}): void {
  lead.facts.isActive = false;
  cancelPending(state, lead, which);
  state.reevaluate(lead);
}
