/**
 * Send a follow-up. Its text is made outside any transaction, and stored only if the plan still asks for this very
 * step.
 */

import { BOT_MESSAGE, queueMessages } from '../conversations/queueMessages.ts';
import { lockDialogue } from '../conversations/store/dialogues.ts';
import { linkRunToMessage } from '../llm/runs.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { violatedConstraint } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { modelQueue, readProduct } from '../products/product.ts';
import { MAX_TEXT_RETRY_SECONDS, makeFollowUpText } from './messageText.ts';
import { plan } from './plan.ts';
import type { SequenceStep } from './sequence.ts';
import { readCounters, readLeadFacts, readSettings } from './store/facts.ts';
import {
  claimFollowUp,
  findClaimedFollowUps,
  readPlanState,
  recordFailures,
  releaseFollowUp,
  requeueFollowUps,
} from './store/outreach.ts';

/** Send the lead's follow-up if one is due and no other worker has claimed it. */
export function sendFollowUp(context: AppContext, leadId: number): Promise<void> {
  return context.claims.track(claimName(leadId), async () => {
    if (!(await claimFollowUp(context.reader, leadId, context.instanceId))) return;
    try {
      await writeFollowUp(context, leadId);
    } finally {
      await retryWhileDatabaseUnavailable(context, () => releaseFollowUp(context.reader, leadId, context.instanceId));
    }
  });
}

const claimName = (leadId: number): string => `ping ${leadId}`;

/** Requeue follow-ups whose rows claim this instance while no task of it works on them. */
export async function releaseLostFollowUps(context: AppContext): Promise<void> {
  const rows = (await findClaimedFollowUps(context.reader, context.instanceId)).map((id) => ({
    id,
    keys: [claimName(id)],
  }));
  const lostLeadIds = context.claims.findLost('pings', rows);
  if (lostLeadIds.length === 0) return;
  context.log.warn({ leads: lostLeadIds }, 'this instance has claimed follow-ups and does not work on them');
  await requeueFollowUps(context.reader, lostLeadIds, context.instanceId);
}

async function writeFollowUp(context: AppContext, leadId: number): Promise<void> {
  const due = await findDueStep(context.reader, leadId);
  if (!due) return;
  const { productId, dialogueId, step, anchor } = due;
  const { state, attempts } = await readPlanState(context.reader, leadId);
  const result = await makeFollowUpText(context, { productId, leadId, dialogueId, step });
  failpoint('ping.afterText');
  if (result.kind === 'failed') {
    const retrySeconds = result.isPermanent ? null : retryDelaySeconds(context, attempts, MAX_TEXT_RETRY_SECONDS);
    await context.transact((tx) =>
      recordFailures(tx, [
        { leadId, reason: { code: 'text', reason: result.reason }, pauseSeconds: retrySeconds, state },
      ]),
    );
    return;
  }
  try {
    await context.transact(async (tx) => {
      const dialogue = await lockDialogue(tx, dialogueId);
      if (!dialogue) return;
      const current = await findDueStep(tx, leadId);
      if (
        current?.dialogueId !== dialogueId ||
        current.anchor !== anchor ||
        current.step.step_number !== step.step_number
      )
        return;
      const [first] = await queueMessages(tx, dialogue, {
        text: result.text,
        ...BOT_MESSAGE,
        // A reply of the lead cancels it.
        turn: dialogue.turn,
        replyOn: null,
        prompt: result.prompt,
        renderedPrompt: result.renderedPrompt,
        model: result.model,
        preparedMessageId: result.preparedMessageId,
        pingConfigId: current.configId,
        pingStepNumber: step.step_number,
        origin: 'ping',
        followUpAnchor: anchor,
      });
      if (result.runId !== null && first !== undefined) await linkRunToMessage(tx, result.runId, first);
      failpoint('ping.beforeCommit');
    });
  } catch (error) {
    // Another worker stored this step first.
    if (violatedConstraint(error)?.name !== 'messages_ping_once') throw error;
  }
}

interface DueStep {
  readonly productId: number;
  readonly dialogueId: number;
  readonly configId: number;
  readonly step: SequenceStep;
  readonly anchor: number;
}

async function findDueStep(reader: AppContext['reader'], leadId: number): Promise<DueStep | null> {
  const [lead] = await readLeadFacts(reader, [leadId]);
  const settings = lead ? await readSettings(reader, lead.productId) : undefined;
  if (!lead || !settings?.pings) return null;
  const counters = await readCounters(reader, settings);
  const [decision] = plan({ leads: [lead], counters }, settings, counters.now);
  if (decision?.kind !== 'ping') return null;
  const { dialogueId, step, anchor } = decision;
  return { productId: lead.productId, configId: settings.pings.configId, dialogueId, step, anchor };
}

/**
 * Return the key of the resource that limits concurrency: the model that writes the text, or a shared key for prepared
 * messages. Null if nothing is due.
 */
export async function followUpConcurrencyKey(context: AppContext, leadId: number): Promise<string | null> {
  const due = await findDueStep(context.reader, leadId);
  const product = due && (await readProduct(context.reader, due.productId));
  if (!due || !product) return null;
  if (due.step.prepared_message_id !== null) return 'follow-ups';
  return modelQueue(context, product, 'ping');
}
