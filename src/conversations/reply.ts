/**
 * Answers the bot's turns: one answer per burst of messages. Due turns are claimed together with all that answering
 * them needs, answers are generated outside any transaction, and stored together, each only if it is still current.
 */

import type { SweepTools } from '../jobs/sweeps.ts';
import { type RunRow, storeRuns } from '../llm/runs.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { batchWrites } from '../platform/batchWrites.ts';
import { isTooSlow, isUnavailable } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Hold } from '../platform/lease.ts';
import { notify } from '../platform/notifications.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { currentTrace, withTrace } from '../platform/trace.ts';
import { defaultModelQueue, MODEL_QUEUE, modelQueue } from '../products/product.ts';
import { renderPrompt, TemplateError } from '../prompts/prompt.ts';
import { decideReply, mayAnswer, type ReplyResult } from './decideReply.ts';
import { createPromptLookup } from './promptLookup.ts';
import { BOT_MESSAGE, type DialogueText, queueTexts } from './queueMessages.ts';
import { generateText } from './runPrompt.ts';
import type { QueueFacts } from './store/queue.ts';
import {
  type ClaimedTurn,
  changeTurns,
  claimTurns,
  loadTurnStates,
  lockDialogues,
  releaseTurn,
  TURNS,
  type TurnChange,
} from './store/turns.ts';
import { buildSystemPrompt, HISTORY_LIMIT, toModelMessages } from './systemPrompt.ts';
import { buildTemplateValues } from './templateValues.ts';

/** The sweep that answers, woken when a turn falls due. */
export const TURNS_SWEEP = 'turns';

/** How long a failing model is retried, and the longest delay between tries, seconds. */
export const RETRY_TIMEOUT_SECONDS = 15 * 60;
export const MAX_RETRY_DELAY_SECONDS = 120;

/** Most turns of one claim, and most outcomes stored in one transaction. */
const LIMIT = 100;

/** An outcome waits for those before it for as long as it takes, milliseconds: a paid answer must not be lost. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** Queues whose room the last claim has filled: more of their turns may be due. */
const fullQueues = new WeakMap<AppContext, ReadonlySet<string>>();

/**
 * Claim due turns and start to answer them. A model that hangs fills the room of its own company and model only.
 * Returns whether more may be due at once.
 */
export async function replyToDueTurns(context: AppContext, tools: SweepTools): Promise<boolean> {
  const perModel = context.config.concurrency;
  const busy = new Map([...tools.queues()].filter(([name]) => name.startsWith(MODEL_QUEUE)));
  const turns = await claimTurns(context.reader, {
    limit: LIMIT,
    historyLimit: HISTORY_LIMIT,
    claimant: context,
    room: { defaultModel: defaultModelQueue(context, 'chatbot'), perModel, busy },
  });
  for (const turn of turns) {
    const queue = modelQueue(context, turn.product, 'chatbot');
    busy.set(queue, (busy.get(queue) ?? 0) + 1);
    const hold = context.claims.begin(TURNS, [{ id: turn.id }]);
    const isStarted = tools.start(queue, `reply ${turn.id}`, () =>
      reply(context, { tools, turn, hold }).finally(() => {
        // When this one has left its room, and others that end at the same time theirs.
        if (fullQueues.get(context)?.has(queue)) setImmediate(tools.wake);
      }),
    );
    if (!isStarted) hold.end();
  }
  fullQueues.set(context, new Set([...busy].flatMap(([queue, count]) => (count >= perModel ? [queue] : []))));
  return turns.length === LIMIT;
}

/** Answer a turn, whose claim is held until then. Storing the answer does not take up the room of the model. */
async function reply(
  context: AppContext,
  { tools, turn, hold }: { tools: SweepTools; turn: ClaimedTurn; hold: Hold },
): Promise<void> {
  const stopTimer = context.metrics.jobSeconds.startTimer({ task: 'reply' });
  const work = <T>(step: () => Promise<T>) => releaseIfFailed(context, turn, () => withTrace(turn.trace, step));
  const generated = await work(() => generateReply(context, turn));
  if (!generated) return hold.end();
  const store = () =>
    work(async () => {
      await storeReply(context, generated);
      failpoint('reply.afterCommit');
      context.metrics.jobs.inc({ task: 'reply', outcome: 'done' });
    }).finally(() => {
      stopTimer();
      hold.end();
    });
  // A process that stops starts nothing more, and ends what has begun.
  if (!tools.start('replies', `store ${turn.id}`, () => store().then(() => undefined))) await store();
}

async function releaseIfFailed<T>(
  context: AppContext,
  turn: ClaimedTurn,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const { jobs } = context.metrics;
    jobs.inc({ task: 'reply', outcome: 'failed' });
    context.log.warn({ dialogue: turn.id, error: String(error) }, 'a turn could not be answered');
    await retryWhileDatabaseUnavailable(context, () =>
      releaseTurn(context.reader, { id: turn.id, turn: turn.turn, instanceId: context.instanceId }),
    );
    return undefined;
  }
}

/** What was generated for a turn, and the run to be stored with it. */
interface Reply {
  readonly turn: ClaimedTurn;
  readonly result: ReplyResult;
  readonly run: RunRow | null;
  readonly trace: string | null;
}

async function generateReply(context: AppContext, turn: ClaimedTurn): Promise<Reply> {
  const trace = currentTrace() ?? null;
  const none = (noAnswer: Extract<ReplyResult, { kind: 'none' }>['noAnswer']): Reply => ({
    turn,
    result: { kind: 'none', noAnswer },
    run: null,
    trace,
  });
  if (!mayAnswer(turn)) return none(null);
  const { product, lead, contact, prompt } = turn;
  if (!prompt) return none({ code: 'no_prompt' });
  const values = buildTemplateValues({ product, lead, contact, document: turn.documents ?? {}, now: turn.now });
  const render = (text: string) => renderPrompt(context, { product, text, values });
  let system: string;
  try {
    system = buildSystemPrompt(await render(prompt.text), values);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return none({ code: 'template', detail: error.message.slice(0, 300) });
  }
  context.log.info({ dialogue: turn.id, turn: turn.turn, prompt: prompt.id }, 'answering');
  failpoint('reply.beforeModel');
  const { text, run } = await generateText(context, {
    product,
    purpose: 'chatbot',
    name: prompt.name,
    metadata: { prompt_id: prompt.id, prompt_version: prompt.version, turn: turn.turn, trace },
    system,
    messages: toModelMessages(turn.history ?? []),
    dialogueId: turn.id,
    lookup: turn.has_described ? await createPromptLookup(context.reader, product.id, render) : null,
    credentials: turn.credentials ?? {},
  });
  failpoint('reply.afterModel');
  if (text.kind === 'written')
    return { turn, run, trace, result: { ...text, kind: 'answer', prompt, renderedPrompt: system } };
  const { reason: detail, isPermanent, paused } = text;
  if (paused) return { turn, run, trace, result: { kind: 'budget', detail } };
  if (isPermanent) return { turn, run, trace, result: { kind: 'none', noAnswer: { code: 'model', detail } } };
  const seconds = retryDelaySeconds(context, turn.turn_attempts, MAX_RETRY_DELAY_SECONDS);
  return { turn, run, trace, result: { kind: 'retry', seconds, detail } };
}

const batchWriters = new WeakMap<AppContext, (reply: Reply) => Promise<true>>();

/**
 * Store a reply. Those that arrive together are stored in one transaction. If the outcome of a commit is not known, the
 * reply is stored again: its turn is closed then, and nothing is sent twice; only its run may be counted twice.
 */
async function storeReply(context: AppContext, one: Reply): Promise<void> {
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
    const dialogueIds = replies.map(({ turn }) => turn.id);
    await lockDialogues(tx, dialogueIds);
    const states = new Map((await loadTurnStates(tx, dialogueIds)).map((state) => [state.id, state]));
    const changes = new Map<number, TurnChange>();
    const runs: (RunRow | null)[] = [];
    const texts: (DialogueText & { readonly facts: QueueFacts; readonly run: number })[] = [];
    for (const { turn, result, run, trace } of replies) {
      const state = states.get(turn.id);
      // The run of a deleted dialogue still counts as spent.
      runs.push(run && { ...run, dialogue_id: state ? run.dialogue_id : null });
      if (!state) continue;
      const { change, isQueued } = decideReply({ turn: turn.turn, result }, state);
      if (change.kind === 'release' && changes.has(state.id)) continue;
      changes.set(state.id, change);
      // A turn whose claim could not be renewed may have been asked twice: the next answer to it finds it decided.
      if (change.kind !== 'release') states.set(state.id, { ...state, is_due: false });
      if (change.kind !== 'release') notify(tx, { topic: 'dialogue', product: state.product_id, ids: [state.id] });
      if (!isQueued || result.kind !== 'answer') continue;
      const { text, model, prompt, renderedPrompt } = result;
      texts.push({
        dialogue: { id: state.id, product_id: state.product_id },
        outgoing: {
          ...BOT_MESSAGE,
          text,
          model,
          prompt,
          renderedPrompt,
          turn: turn.turn,
          replyOn: state.last_user_msg_id,
          preparedMessageId: null,
          pingConfigId: null,
          pingStepNumber: null,
        },
        trace,
        facts: state.queue,
        run: runs.length - 1,
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
    if (changes.size > 0) await changeTurns(tx, [...changes.values()]);
    failpoint('reply.beforeCommit');
  });
  return replies.map(() => true as const);
}
