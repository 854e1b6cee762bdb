/** A follow-up: its text made outside any transaction, stored only if the plan still asks for this very step. */
import { BOT, compose } from '../dialogues/compose.ts';
import { insist } from '../dialogues/insist.ts';
import { holdDialogue } from '../dialogues/known.ts';
import { runBecame } from '../llm/runs.ts';
import { brokenConstraint } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import { modelFor, readProduct } from '../products/product.ts';
import type { PingStep } from './pingSteps.ts';
import { plan } from './plan.ts';
import { countersOf, leadFacts, settingsOf } from './store/facts.ts';
import { keepFailure, letGoOfPings, pingsOf, planState, releasePing, takePing, triesOf } from './store/rows.ts';
import { pauseAfter, pingText } from './text.ts';

/** Sends the lead's due follow-up, if one is due and nobody else is at it. */
export function ping(ground: Ground, leadId: number): Promise<void> {
  return ground.hand.hold(pingName(leadId), async () => {
    if (!(await takePing(ground.reader, leadId, ground.life))) return;
    try {
      await write(ground, leadId);
    } finally {
      await insist(ground, () => releasePing(ground.reader, leadId, ground.life));
    }
  });
}

const pingName = (leadId: number): string => `ping ${leadId}`;

/** Follow-ups that say they are in this life's hand and are not are thought about anew. */
export async function leaveLostPings(ground: Ground): Promise<void> {
  const rows = (await pingsOf(ground.reader, ground.life)).map((id) => ({ id, names: [pingName(id)] }));
  const lost = ground.hand.leftBehind('pings', rows);
  if (lost.length === 0) return;
  ground.log.warn({ leads: lost }, 'follow-ups say they are in this life’s hand, and nobody is at them');
  await letGoOfPings(ground.reader, lost, ground.life);
}

async function write(ground: Ground, leadId: number): Promise<void> {
  const due = await dueStep(ground.reader, leadId);
  if (!due) return;
  const { productId, dialogueId, step, anchor } = due;
  const state = await planState(ground.reader, leadId);
  const made = await pingText(ground, { productId, leadId, dialogueId, step });
  failpoint('ping.afterText');
  if (made.kind === 'failed') {
    const pause = made.lasting ? null : pauseAfter(ground, await triesOf(ground.reader, leadId));
    await ground.transact((tx) => keepFailure(tx, leadId, { code: 'text', reason: made.reason }, pause, state));
    return;
  }
  try {
    await ground.transact(async (tx) => {
      const dialogue = await holdDialogue(tx, dialogueId);
      if (!dialogue) return;
      const still = await dueStep(tx, leadId);
      if (still?.dialogueId !== dialogueId || still.anchor !== anchor || still.step.step_number !== step.step_number)
        return;
      const [first] = await compose(tx, dialogue, {
        text: made.text,
        ...BOT,
        // An answer of the lead voids it.
        turn: dialogue.turn,
        replyOn: null,
        prompt: made.prompt,
        renderedPrompt: made.renderedPrompt,
        model: made.model,
        preparedMessageId: made.preparedMessageId,
        pingConfigId: still.configId,
        pingStepNumber: step.step_number,
        origin: 'ping',
        pingAnchor: anchor,
      });
      if (made.runId !== null && first !== undefined) await runBecame(tx, made.runId, first);
      failpoint('ping.beforeCommit');
    });
  } catch (error) {
    // Another was quicker with this step.
    if (brokenConstraint(error)?.name !== 'messages_ping_once') throw error;
  }
}

interface DueStep {
  readonly productId: number;
  readonly dialogueId: number;
  readonly configId: number;
  readonly step: PingStep;
  readonly anchor: number;
}

async function dueStep(reader: Ground['reader'], leadId: number): Promise<DueStep | null> {
  const [lead] = await leadFacts(reader, [leadId]);
  const settings = lead ? await settingsOf(reader, lead.productId) : undefined;
  if (!lead || !settings?.pings) return null;
  const counters = await countersOf(reader, settings);
  const [decision] = plan({ leads: [lead], counters }, settings, counters.now);
  if (decision?.kind !== 'ping') return null;
  const { dialogueId, step, anchor } = decision;
  return { productId: lead.productId, configId: settings.pings.configId, dialogueId, step, anchor };
}

/** Who is waited for: the model that writes, or nobody. Null: nothing is due. */
export async function laneOfPing(ground: Ground, leadId: number): Promise<string | null> {
  const due = await dueStep(ground.reader, leadId);
  const product = due && (await readProduct(ground.reader, due.productId));
  if (!due || !product) return null;
  if (due.step.prepared_message_id !== null) return 'follow-ups';
  const { vendor, model } = modelFor(ground, product.config, 'ping');
  return `model ${product.company_id} ${vendor} ${model}`;
}
