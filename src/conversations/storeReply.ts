/**
 * Stores what was generated for turns: answers, hand-overs, and the runs of the models. What arrives together is stored
 * in one transaction, each only if its turn is still current.
 */
import { type LoadedDialogues, loadDialogues } from '../engine/postgres/dialogues.ts';
import type { TurnSettled } from '../engine/rules/turn.ts';
import { changeLoaded } from '../engine/steps/changeDialogues.ts';
import { promisesSilence } from '../leads/promisesSilence.ts';
import { lockLeads } from '../leads/store.ts';
import { type RunRow, storeRuns } from '../llm/runs.ts';
import type { AppContext } from '../platform/appContext.ts';
import { batchWrites } from '../platform/batchWrites.ts';
import { isTooSlow, isUnavailable, type Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { decideReply, type ReplyResult } from './decideReply.ts';
import { doubtOptOut, dropDoubts, optOut } from './optOut.ts';
import { handOverDialogue } from './ownership.ts';
import { BOT_MESSAGE, type DialogueText, type OutgoingMessage, queueTexts } from './queueMessages.ts';
import type { QueueFacts } from './store/queue.ts';
import { type ClaimedTurn, loadTurnStates, type TurnState } from './store/turns.ts';

/** Most outcomes stored in one transaction. */
const LIMIT = 100;

/** An outcome waits for those before it for as long as it takes, milliseconds: a paid answer must not be lost. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** What was generated for a turn, and the run to be stored with it. */
export interface Reply {
  readonly turn: ClaimedTurn;
  readonly result: ReplyResult;
  /** Whether what the lead has written in the turn has a hint that it wants no more messages. */
  readonly hasHint: boolean;
  readonly run: RunRow | null;
  readonly trace: string | null;
}

const batchWriters = new WeakMap<AppContext, (reply: Reply) => Promise<true>>();

/**
 * Store a reply. Those that arrive together are stored in one transaction. If the outcome of a commit is not known, the
 * reply is stored again: if it was stored, its turn is closed and its run's id taken, and nothing happens.
 */
export async function storeReply(context: AppContext, one: Reply): Promise<void> {
  let write = batchWriters.get(context);
  if (!write) {
    write = batchWrites((replies) => storeReplies(context, replies), LIMIT, {
      isFatal: (error) => isUnavailable(error) || isTooSlow(error),
      timeoutMs: NO_TIMEOUT_MS,
      onTimeout: () => new Error('The answers before it were not stored'),
    });
    batchWriters.set(context, write);
  }
  const writeOne = write;
  try {
    await retryWhileDatabaseUnavailable(context, () => writeOne(one));
  } catch (error) {
    // The record of a paid call is kept even if its answer cannot be stored.
    if (one.run) await storeRuns(context.reader, [one.run]);
    throw error;
  }
}

async function storeReplies(context: AppContext, replies: readonly Reply[]): Promise<true[]> {
  await context.transact(async (tx) => {
    const { loaded, states } = await lockTurns(tx, replies);
    const events = new Map<number, TurnSettled>();
    const runs: (RunRow | null)[] = [];
    const texts: (DialogueText & { readonly facts: QueueFacts; readonly run: number | null })[] = [];
    for (const { turn, result, hasHint, run, trace } of replies) {
      const state = states.get(turn.id);
      // The run of a deleted dialogue still counts as spent.
      runs.push(run && { ...run, dialogue_id: state ? run.dialogue_id : null });
      if (!state) continue;
      const { event, effect, optOut: found } = decideReply({ turn: turn.turn, result, hasHint }, state);
      if (event.kind === 'answer_released' && events.has(state.id)) continue;
      events.set(state.id, event);
      // A turn whose claim could not be renewed may have been asked twice: the next answer to it finds it decided.
      if (event.kind !== 'answer_released') states.set(state.id, { ...state, is_due: false });
      if (event.kind !== 'answer_released')
        notify(tx, { topic: 'dialogue', product: state.product_id, ids: [state.id] });
      if (found !== null) await applyOptOut(context, tx, { state, found });
      if (effect === null) continue;
      if (result.kind === 'hand_over')
        await handOverDialogue(tx, state, { code: result.reason, detail: result.detail, isOpen: true });
      // Nor does a person who wants no more messages get the sentence of a hand-over.
      const outgoing = isStop(result, found) ? null : outgoingOf(result, state);
      if (!outgoing) continue;
      const dialogue = { id: state.id, product_id: state.product_id };
      texts.push({
        dialogue,
        outgoing: { ...outgoing, turn: turn.turn },
        trace,
        facts: state.queue,
        // The model has not written the sentence of a hand-over.
        run: result.kind === 'answer' ? runs.length - 1 : null,
      });
    }
    if (texts.length > 0) {
      const facts = texts.map((text) => text.facts);
      for (const [index, [messageId]] of (await queueTexts(tx, texts, facts)).entries()) {
        const at = texts[index]?.run ?? -1;
        const run = runs[at];
        if (run && messageId !== undefined) runs[at] = { ...run, message_id: messageId };
      }
    }
    const paid = runs.filter((run) => run !== null);
    if (paid.length > 0) await storeRuns(tx, paid);
    await changeLoaded(tx, { loaded, eventOf: (id) => events.get(id) });
    failpoint('reply.beforeCommit');
  });
  return replies.map(() => true as const);
}

type FoundOptOut = ReturnType<typeof decideReply>['optOut'];

/** Whether the model has found that the person wants no more messages, and has handed over as well. */
const isStop = (result: ReplyResult, found: FoundOptOut): boolean =>
  result.kind === 'hand_over' && found !== null && found !== 'none' && found.state === 'certain';

/** Apply what the model has found out about the person's wish to get no more messages. */
async function applyOptOut(
  context: AppContext,
  tx: Tx,
  { state, found }: { state: TurnState; found: NonNullable<FoundOptOut> },
): Promise<void> {
  const about = { leadId: state.lead.id, dialogueId: state.id };
  if (found === 'none') {
    if (state.has_doubt) await dropDoubts(tx, context, { ...about, by: 'model' });
    return;
  }
  const recorded = { ...about, source: found.source, messageId: state.last_user_msg_id };
  if (found.state === 'certain') await optOut(tx, context, { ...recorded, by: found.source });
  else await doubtOptOut(tx, context, { ...recorded, asksPeople: true });
}

/** Lock the dialogues of replies, and before them the leads that change with them. Returns the states of the turns. */
async function lockTurns(
  tx: Tx,
  replies: readonly Reply[],
): Promise<{ loaded: LoadedDialogues; states: Map<number, TurnState> }> {
  const leadIds = replies.flatMap(({ turn, result }) => (changesLead(result) ? turn.lead.id : []));
  if (leadIds.length > 0) await lockLeads(tx, leadIds);
  const dialogueIds = replies.map(({ turn }) => turn.id);
  const loaded = await loadDialogues(tx, { dialogueIds });
  const states = await loadTurnStates(tx, dialogueIds);
  return { loaded, states: new Map(states.map((state) => [state.id, state])) };
}

/** Whether a result may change the lead itself. */
const changesLead = (result: ReplyResult): boolean =>
  result.kind === 'hand_over' || result.kind === 'stop' || (result.kind === 'answer' && promisesSilence(result.text));

/** Return what the lead is sent: the answer, or the product's sentence of a hand-over; null: nothing. */
function outgoingOf(result: ReplyResult, state: TurnState): Omit<OutgoingMessage, 'turn'> | null {
  const message = {
    ...BOT_MESSAGE,
    replyOn: state.last_user_msg_id,
    preparedMessageId: null,
    pingConfigId: null,
    pingStepNumber: null,
  };
  if (result.kind === 'answer') {
    const { text, model, prompt, renderedPrompt } = result;
    return { ...message, text, isMarkdown: true, model, prompt, renderedPrompt };
  }
  if (result.kind !== 'hand_over' || state.hand_over_text === '') return null;
  const text = state.hand_over_text;
  const source = { isMarkdown: false, model: null, prompt: null, renderedPrompt: null };
  return { ...message, ...source, text, split: false, origin: 'hand_over' };
}
