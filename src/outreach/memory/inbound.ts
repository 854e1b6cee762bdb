/** Messages of leads and acts of operators in the engine in memory; `decideInbound` decides about the messages. */
import { decideReply } from '../../conversations/decideReply.ts';
import { decideInbound } from '../../inbox/decideInbound.ts';
import { botStoppedStages, type Stage } from '../../leads/contract.ts';
import { cancel, cancelPending, queueText, resumeFirstMessages } from './outbox.ts';
import type { MemoryDialogue, MemoryLead, MemoryState } from './state.ts';

/** A lead's message without an answer is answered after the bot's return if it is younger than this, milliseconds. */
const UNANSWERED_MS = 24 * 3_600_000;

/** Receive a text from a lead, who has a dialogue. */
export function receiveText(state: MemoryState, lead: MemoryLead, text: string): void {
  const { dialogue, facts } = lead;
  if (!dialogue) return;
  const at = new Date(state.now).toISOString();
  const id = state.nextId();
  const item = { text, mediaKind: 'text', mediaUrl: null, isGroup: false, isSilent: false, occurredAt: at };
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
        },
      },
    ],
    { debounceSeconds: state.debounceSeconds },
  );
  for (const change of decision.leads) {
    if (change.kind === 'stage') changeStage(state, lead, change.stage);
    if (change.kind === 'hand_over') handOver(state, lead);
    if (change.kind === 'opt_out') {
      facts.optedOut = true;
      deactivate(state, lead, { includeOperators: true });
    }
  }
  for (const change of decision.dialogues) {
    if (change.user_item !== null) noteUserMessage(lead, dialogue, { id, at: state.now });
    applyTurns(state, lead, change);
  }
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
  facts.last = { id, ours: false, at, failed: false };
  facts.anchor = id;
  facts.anchorAt = at;
  facts.stepsDone = 0;
  facts.stepAt = null;
  dialogue.stepsSent = 0;
}

/** Answer a lead's turn if it is due and the bot may speak. */
export function answerTurn(state: MemoryState, lead: MemoryLead): void {
  const { dialogue, facts } = lead;
  if (!dialogue || dialogue.turnDueAt === null || dialogue.turnDueAt > state.now) return;
  dialogue.turnDueAt = null;
  const { turn, owner } = dialogue;
  const text = state.texts?.reply(facts.id) ?? '';
  const { effect } = decideReply(
    { turn, result: { kind: 'answer', text, model: null, prompt: null, renderedPrompt: null } },
    {
      id: dialogue.facts.id,
      turn,
      is_due: true,
      owner,
      lead: { stage: facts.stage, is_active: facts.isActive, recognized_deactivation_request: facts.optedOut },
      is_product_active: state.settings.isActive,
      has_unprocessed_inbound: false,
      waits: true,
      failing_ms: null,
    },
  );
  if (effect === 'queue') queueText(state, lead, { text, reply_on_msg_id: dialogue.facts.anchor });
}

/** Move a lead to a stage; one that ends the bot's work cancels what it wants to send. */
export function changeStage(state: MemoryState, lead: MemoryLead, stage: Stage): void {
  lead.facts.stage = stage;
  if (botStoppedStages.includes(stage)) cancelPending(state, lead);
  state.reevaluate(lead);
}

/** Hand a lead's dialogue over to a human. */
export function handOver(state: MemoryState, lead: MemoryLead): void {
  const { dialogue, facts } = lead;
  facts.humanOwned = true;
  if (dialogue) {
    dialogue.owner = 'human';
    dialogue.turnDueAt = null;
  }
  cancelPending(state, lead);
  state.reevaluate(lead);
}

/** Return a lead's dialogue to the bot, which answers what is unanswered. */
export function returnToBot(state: MemoryState, lead: MemoryLead): void {
  const { dialogue, facts } = lead;
  facts.humanOwned = false;
  state.reevaluate(lead);
  if (!dialogue) return;
  dialogue.owner = 'bot';
  const { last, outgoing } = dialogue.facts;
  if (last === null || last.ours || outgoing || last.at <= state.now - UNANSWERED_MS) return;
  dialogue.turnDueAt = state.now;
  state.dueTurns.add(state.now, facts.id);
}

/** Stop the bot from writing to a lead. */
export function deactivate(state: MemoryState, lead: MemoryLead, which: { includeOperators?: boolean } = {}): void {
  lead.facts.isActive = false;
  cancelPending(state, lead, which);
  state.reevaluate(lead);
}
