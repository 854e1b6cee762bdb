/**
 * Answers the bot's turns: one answer per burst of messages. Due turns are claimed together with all that answering
 * them needs, answers are generated outside any transaction, and stored together, each only if it is still current.
 */

import { NO_VARIANTS, variantsOfAnswer } from '../experiments/assign.ts';
import type { SweepTools } from '../jobs/sweeps.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { isTooSlow, isUnavailable } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { currentTrace, withTrace } from '../platform/trace.ts';
import { defaultModelQueue, modelQueue } from '../products/product.ts';
import { renderPrompt } from '../prompts/prompt.ts';
import { mayAnswer, type ReplyResult } from './decideReply.ts';
import { generateAnswer, renderSystemText } from './generateAnswer.ts';
import { createPromptLookup } from './promptLookup.ts';
import { hasOptOutHint, withoutLiftedOptOuts } from './stopWriting.ts';
import { type ClaimedTurn, claimTurns, releaseTurn, TURNS } from './store/turns.ts';
import { type Reply, storeReply } from './storeReply.ts';
import { HISTORY_LIMIT } from './systemPrompt.ts';
import { buildTemplateValues } from './templateValues.ts';

/** How long a failing model is retried, and the longest delay between tries, seconds. */
export const RETRY_TIMEOUT_SECONDS = 15 * 60;
export const MAX_RETRY_DELAY_SECONDS = 120;

/** Most turns of one claim. */
const LIMIT = 100;

/**
 * Milliseconds from an answer that leaves a full queue until the next claim, so that it fills the room of others that
 * end meanwhile, too: a claim reads all due turns, however few it may take. [106 claims for 1,000 answers instead of 224]
 */
const CLAIM_AFTER_MS = 10;

/** How many answers of each model's queue are generated, or wait in it. People wait for them: they have priority in it. */
const generating = new WeakMap<AppContext, Map<string, number>>();

/** Queues whose room the last claim has filled: more of their turns may be due. */
const fullQueues = new WeakMap<AppContext, ReadonlySet<string>>();

/**
 * Turns that this process answers, `dialogue/turn`, and whether one was claimed again meanwhile since its claim could
 * not be renewed in time. It is not answered a second time, only released at the end.
 */
const answering = new WeakMap<AppContext, Map<string, { isClaimedAgain: boolean }>>();

/**
 * Claim due turns and start to answer them. A model that hangs fills the room of its own company and model only.
 * Returns whether more may be due at once.
 */
export async function replyToDueTurns(context: AppContext, tools: SweepTools): Promise<boolean> {
  const perModel = context.config.concurrency;
  const busy = generating.get(context) ?? new Map<string, number>();
  generating.set(context, busy);
  const turns = await claimTurns(context.reader, {
    limit: LIMIT,
    historyLimit: HISTORY_LIMIT,
    claimant: context,
    room: { defaultModel: defaultModelQueue(context, 'chatbot'), perModel, busy },
  });
  for (const turn of turns) {
    const end = beginAnswering(context, turn, tools.wake);
    if (!end) continue;
    const queue = modelQueue(context, turn.product, 'chatbot');
    const endCount = countIn(busy, queue);
    const isStarted = tools.start({ name: queue, hasPriority: true }, `reply ${turn.id}/${turn.turn}`, () =>
      reply(context, { tools, turn, end }).finally(() => {
        endCount();
        if (fullQueues.get(context)?.has(queue)) tools.wake(CLAIM_AFTER_MS);
      }),
    );
    if (isStarted) continue;
    endCount();
    await end();
  }
  fullQueues.set(context, new Set([...busy].flatMap(([queue, count]) => (count >= perModel ? [queue] : []))));
  return turns.length === LIMIT;
}

/** Count one more in a queue until the returned function is called. */
function countIn(counts: Map<string, number>, queue: string): () => void {
  counts.set(queue, (counts.get(queue) ?? 0) + 1);
  return () => {
    const left = (counts.get(queue) ?? 0) - 1;
    if (left > 0) counts.set(queue, left);
    else counts.delete(queue);
  };
}

/** Hold the claim on a turn until the returned function is called; null if this process already answers the turn. */
function beginAnswering(context: AppContext, { id, turn }: ClaimedTurn, wake: () => void) {
  const ours = answering.get(context) ?? new Map<string, { isClaimedAgain: boolean }>();
  answering.set(context, ours);
  const name = `${id}/${turn}`;
  const other = ours.get(name);
  if (other) {
    other.isClaimedAgain = true;
    return null;
  }
  const one = { isClaimedAgain: false };
  ours.set(name, one);
  const hold = context.claims.begin(TURNS, [{ id }]);
  return async () => {
    hold.end();
    ours.delete(name);
    if (!one.isClaimedAgain) return;
    await releaseTurn(context.reader, { id, turn, instanceId: context.instanceId });
    wake();
  };
}

/** Answer a turn, whose claim is held until then. Storing the answer does not take up the room of the model. */
async function reply(
  context: AppContext,
  { tools, turn, end }: { tools: SweepTools; turn: ClaimedTurn; end: () => Promise<void> },
): Promise<void> {
  const stopTimer = context.metrics.jobSeconds.startTimer({ task: 'reply' });
  const work = <T>(step: () => Promise<T>) => retryIfFailed(context, turn, () => withTrace(turn.trace, step));
  const generated = await work(() => generateReply(context, turn));
  if (!generated) return end();
  const store = () =>
    work(async () => {
      await storeReply(context, generated);
      failpoint('reply.afterCommit');
      context.metrics.jobs.inc({ task: 'reply', outcome: 'done' });
    }).finally(() => {
      stopTimer();
      return end();
    });
  // A process that stops starts nothing more, and ends what has begun.
  if (!tools.start('replies', `store ${turn.id}`, () => store().then(() => undefined))) await store();
}

/**
 * Work on a claimed turn. If it fails, the turn is answered again later, as after a failure of the model; at once if only
 * the database was away. If not even that can be stored, the turn stays claimed until the lease ends.
 */
async function retryIfFailed<T>(
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
    const release = () =>
      retryWhileDatabaseUnavailable(context, () =>
        releaseTurn(context.reader, { id: turn.id, turn: turn.turn, instanceId: context.instanceId }),
      );
    const retry = () => {
      const result = retryLater(context, turn, 'Internal error: the answer could not be generated or stored');
      return storeReply(context, { turn, result, hasHint: false, run: null, trace: turn.trace });
    };
    await (isUnavailable(error) || isTooSlow(error) ? release() : retry()).catch((failure: unknown) =>
      context.log.error({ dialogue: turn.id, error: String(failure) }, 'a failed turn could not be released'),
    );
    return undefined;
  }
}

const retryLater = (context: AppContext, turn: ClaimedTurn, detail: string): ReplyResult => ({
  kind: 'retry',
  seconds: retryDelaySeconds(context, turn.turn_attempts, MAX_RETRY_DELAY_SECONDS),
  detail,
});

async function generateReply(context: AppContext, turn: ClaimedTurn): Promise<Reply> {
  const trace = currentTrace() ?? null;
  const none = (noAnswer: Extract<ReplyResult, { kind: 'none' }>['noAnswer']): Reply => ({
    turn,
    result: { kind: 'none', noAnswer },
    hasHint: false,
    run: null,
    trace,
  });
  if (!mayAnswer(turn)) return none(null);
  const written = turn.history ?? [];
  const history = withoutLiftedOptOuts(written);
  // All that the lead waits for an answer to was lifted since.
  if (history.length < written.length && history.at(-1)?.side !== 'user') return none(null);
  const hasHint = hasOptOutHint(written);
  const { product, lead, contact } = turn;
  const variants = turn.is_tested
    ? await variantsOfAnswer(context, { productId: product.id, leadId: lead.id })
    : NO_VARIANTS;
  const prompt = variants.prompt ?? turn.prompt;
  if (!prompt) return none({ code: 'no_prompt' });
  const values = buildTemplateValues({ product, lead, contact, document: turn.documents ?? {}, now: turn.now });
  const render = (text: string) => renderPrompt(context, { product, text, values });
  const rendered = await renderSystemText(context, { product, text: prompt.text, values, notes: turn.notes ?? [] });
  if (rendered.kind === 'failed') return none({ code: 'template', detail: rendered.detail });
  const { system } = rendered;
  context.log.info({ dialogue: turn.id, turn: turn.turn, prompt: prompt.id }, 'answering');
  failpoint('reply.beforeModel');
  const { reply: answer, run: unstored } = await generateAnswer(context, {
    product,
    ...variants.model,
    purpose: 'chatbot',
    prompt,
    metadata: { prompt_id: prompt.id, prompt_version: prompt.version, turn: turn.turn, trace },
    system,
    history,
    dialogueId: turn.id,
    lookup: turn.has_described ? await createPromptLookup(context.reader, product.id, render) : null,
    mayRequestHuman: turn.may_hand_over,
    mayStopWriting: true,
    credentials: turn.credentials ?? {},
  });
  failpoint('reply.afterModel');
  const run = unstored && { ...unstored, id: turn.run_id };
  const reply = { turn, run, trace, hasHint };
  if (answer.kind === 'written')
    return { ...reply, result: { ...answer, kind: 'answer', prompt, renderedPrompt: system } };
  if (answer.kind === 'human_requested') return { ...reply, result: { ...answer, kind: 'hand_over' } };
  if (answer.kind === 'stop_requested') return { ...reply, result: { kind: 'stop' } };
  const { reason: detail, isPermanent, paused } = answer;
  if (paused) return { ...reply, result: { kind: 'budget', detail } };
  if (isPermanent) return { ...reply, result: { kind: 'none', noAnswer: { code: 'model', detail } } };
  return { ...reply, result: retryLater(context, turn, detail) };
}
