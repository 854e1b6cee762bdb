/**
 * Creates one note and one task on the lead's card for each hand-over; dialogues of a lead that wait at the same time
 * share a task. amoCRM has no idempotency key: each call is recorded before it leaves, and after a call whose outcome is
 * unknown the card is searched for our marker before another one is made. The search waits until that call has surely
 * ended, whoever made it.
 */

import { deferFailed } from '../jobs/deferFailed.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { readCard } from './amocrm/api.ts';
import type { Answer } from './amocrm/call.ts';
import { createOnCard, findOnCard, type NewNote, type NewTask } from './amocrm/onCard.ts';
import type { Card } from './amocrm/shapes.ts';
import { handOverTexts, markerOf } from './handOverTexts.ts';
import {
  type ClaimedHandOver,
  claimHandOver,
  closeHandOver,
  deferHandOver,
  findTaskOfLead,
  forgetAttempt,
  HAND_OVERS,
  recordAttempt,
  releaseHandOver,
  savePiece,
} from './store/handOvers.ts';

/**
 * When a call has surely ended, in its time limits: one for the call itself, the rest for a request that leaves late
 * or that amoCRM still works on.
 */
const LIMITS_UNTIL_ENDED = 1.5;
/** A request that would leave later than this share of its time limit after it was recorded does not leave. */
const MAX_LATENESS = 0.2;

type Failure = Exclude<Answer, { kind: 'ok' }>;
type Piece = NewNote | NewTask;

/** Create what is missing of a hand-over's note and task, if that is due and no other instance has claimed it. */
export async function writeHandOver(context: AppContext, id: number): Promise<void> {
  const row = await claimHandOver(context.reader, id, context);
  if (!row) return;
  try {
    await context.claims.hold(HAND_OVERS, [{ id }], () => writeClaimed(context, row));
  } catch (error) {
    await deferFailed(context, { error, attempts: row.attempts }, (seconds, reason) =>
      deferHandOver(context.reader, { id, instanceId: context.instanceId, seconds, error: reason }),
    );
  } finally {
    await retryWhileDatabaseUnavailable(context, () => releaseHandOver(context.reader, id, context.instanceId));
  }
}

async function writeClaimed(context: AppContext, row: ClaimedHandOver): Promise<void> {
  const read = await readCard(context, row.crm_integration_id, row.card_id);
  if (read.kind !== 'read') return handleFailure(context, row, read);
  if (read.value === null) return handleFailure(context, row, { kind: 'missing' });
  for (const piece of piecesOf(context, row, read.value)) {
    const failure = await createOnce(context, row, piece);
    if (failure === 'later') return;
    if (failure) return handleFailure(context, row, failure);
  }
  await close(context, row, { state: 'done', error: null });
}

function piecesOf({ config }: AppContext, row: ClaimedHandOver, { responsibleUserId }: Card): Piece[] {
  const { note, task } = handOverTexts(row, config.publicUrl);
  const onCard = { integrationId: row.crm_integration_id, cardId: row.card_id };
  return [
    { piece: 'note', text: note, ...onCard },
    { piece: 'task', text: task, responsibleUserId, completeTill: row.due, ...onCard },
  ];
}

/**
 * Create a note or a task, unless it exists. Returns what prevents that: a failed call, or `later` if an earlier call
 * may still be under way. Null: it exists.
 */
async function createOnce(context: AppContext, row: ClaimedHandOver, input: Piece): Promise<Failure | 'later' | null> {
  const { piece } = input;
  const { id, attempted_at: attemptedAt, attempted_for: attemptedFor } = row.pieces[piece];
  if (id !== null) return null;
  if (attemptedAt !== null) {
    const seconds = context.config.crmCallSeconds * LIMITS_UNTIL_ENDED - (attemptedFor ?? 0);
    if (seconds > 0) {
      await deferHandOver(context.reader, { id: row.id, instanceId: context.instanceId, seconds, error: null });
      return 'later';
    }
    const found = await findOnCard(context, { ...input, marker: markerOf(row.crm_marker) });
    if (found.kind !== 'read') return found;
    if (found.value !== null) return save(context, row, { piece, crmId: found.value });
  } else if (piece === 'task') {
    const task = await findTaskOfLead(context.reader, row.id);
    if (task?.id) return save(context, row, { piece, crmId: task.id });
    if (task) return waitForTask(context, row);
  }
  return create(context, row, input);
}

/** Look again soon for the task that another hand-over is about to create. */
async function waitForTask({ reader, config, instanceId }: AppContext, { id }: ClaimedHandOver): Promise<'later'> {
  await deferHandOver(reader, { id, instanceId, seconds: config.retryBaseSeconds, error: null });
  return 'later';
}

async function create(context: AppContext, row: ClaimedHandOver, input: Piece): Promise<Failure | null> {
  const { reader, config, instanceId } = context;
  const { piece } = input;
  const before = row.pieces[piece].attempted_at;
  const timeoutMs = config.crmCallSeconds * 1000;
  let attempt: string | null = null;
  const answer = await createOnCard(context, input, {
    timeoutMs,
    beforeSend: async () => {
      const startedAt = performance.now();
      attempt = await recordAttempt(reader, { id: row.id, piece, before: attempt ?? before, instanceId });
      failpoint(`crm.before.${piece}`);
      return attempt !== null && performance.now() - startedAt < timeoutMs * MAX_LATENESS;
    },
  });
  failpoint(`crm.after.${piece}`);
  if (answer.kind === 'read' && answer.value !== null) return save(context, row, { piece, crmId: answer.value });
  if (answer.kind === 'read')
    return { kind: 'away', reason: "amoCRM's answer is unreadable", retryAfterSeconds: null, maybeDone: true };
  const isCreated = answer.kind === 'away' && answer.maybeDone;
  if (attempt !== null && !isCreated) await forgetAttempt(reader, { id: row.id, piece, before, attempt });
  return answer;
}

async function save(
  context: AppContext,
  row: ClaimedHandOver,
  { piece, crmId }: { piece: Piece['piece']; crmId: number | string },
): Promise<null> {
  await context.transact(async (tx) => {
    await savePiece(tx, { id: row.id, piece, crmId });
    failpoint(`crm.saving.${piece}`);
  });
  return null;
}

async function handleFailure(context: AppContext, row: ClaimedHandOver, failure: Failure): Promise<void> {
  switch (failure.kind) {
    // Without keys it waits for them; meanwhile the sweep skips it.
    case 'reconnect':
      return;
    case 'missing':
      return close(context, row, { state: 'none', error: null });
    case 'refused':
      return close(context, row, { state: 'failed', error: failure.reason });
    case 'away': {
      const seconds = failure.retryAfterSeconds ?? retryDelaySeconds(context, row.attempts);
      return deferHandOver(context.reader, {
        id: row.id,
        instanceId: context.instanceId,
        seconds,
        error: failure.reason,
      });
    }
    default:
      return failure satisfies never;
  }
}

async function close(
  context: AppContext,
  row: ClaimedHandOver,
  change: { readonly state: 'none' | 'done' | 'failed'; readonly error: string | null },
): Promise<void> {
  await context.transact(async (tx) => {
    if (!(await closeHandOver(tx, { id: row.id, ...change }))) return;
    notify(tx, { topic: 'dialogue', product: row.product_id, ids: [row.dialogue_id] });
  });
}
