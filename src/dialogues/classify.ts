/**
 * A turn's classification: once, an interval after the lead's last message. The model is asked outside any transaction;
 * what it says counts only if nothing has happened meanwhile.
 */
import { classificationOf, classifyConversation, keepResult, type Verdict } from '../chatbot/classification.ts';
import { HISTORY } from '../chatbot/compose.ts';
import { templateValues } from '../chatbot/values.ts';
import { changeStage, deactivate } from '../leads/changeStage.ts';
import type { Stage } from '../leads/contract.ts';
import { holdLead, readLead } from '../leads/known.ts';
import { isOver } from '../leads/lead.ts';
import { recordDeed, type Writing } from '../platform/audit.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import { announce } from '../platform/live.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { modelFor, readProduct } from '../products/product.ts';
import { insist } from './insist.ts';
import { silence } from './ownership.ts';
import { dialogueRefusals } from './refusals.ts';
import { LONGEST_PAUSE, PATIENCE_SECONDS } from './reply.ts';
import {
  type ClassificationRow,
  claimClassification,
  pauseClassification,
  postponeClassification,
  productOfClassification,
  releaseClassification,
  reopenClassification,
  settleClassification,
} from './store/classifications.ts';
import { findDialogue, lockDialogue, surroundings } from './store/dialogues.ts';
import { hasUnreadInbound } from './store/inbox.ts';
import { history } from './store/messages.ts';
import type { DialogueRow } from './store/tables.ts';

/** Who moved the lead, in its events. */
const BY = 'classification';

const NEWER = 'The lead wrote again';

type Leadlike = { readonly is_active: boolean; readonly stage: Stage } | undefined;

/** Why a dialogue is not classified now; null when it is. Asked before the model and again where its answer counts. */
async function obstacle(reader: Reader, dialogue: DialogueRow, lead: Leadlike): Promise<string | null> {
  if (dialogue.owner !== 'bot') return 'A human speaks here';
  if (!lead?.is_active) return 'The lead is deactivated';
  if (isOver(lead.stage)) return `The lead is in stage ${lead.stage}`;
  const product = await readProduct(reader, dialogue.product_id);
  if (!product?.is_active) return 'The product is switched off';
  return (await classificationOf(reader, dialogue.product_id)) ? null : 'Classification is switched off';
}

/** Who is waited for: the company's model. Null: it is not there any more. */
export async function laneOfClassification(ground: Ground, id: number): Promise<string | null> {
  const productId = await productOfClassification(ground.reader, id);
  const product = productId === null ? undefined : await readProduct(ground.reader, productId);
  if (!product) return null;
  const { vendor, model } = modelFor(ground, product.config, 'classification');
  return `model ${product.company_id} ${vendor} ${model}`;
}

/** Classifies a turn if that is due and nobody else is at it. */
export async function classify(ground: Ground, id: number): Promise<void> {
  const row = await claimClassification(ground.reader, id, ground.life);
  if (!row) return;
  try {
    await work(ground, row);
  } finally {
    await insist(ground, () => releaseClassification(ground.reader, id, ground.life));
  }
}

async function work(ground: Ground, row: ClassificationRow): Promise<void> {
  const { reader } = ground;
  const dialogue = await findDialogue(reader, row.dialogue_id);
  const around = dialogue ? await surroundings(reader, dialogue.id) : null;
  const lead = around ? await readLead(reader, around.lead_id) : undefined;
  if (!dialogue) return;
  const why = dialogue.turn === row.turn ? await obstacle(reader, dialogue, lead) : NEWER;
  if (why !== null) return end(ground, row, 'void', why);
  // What the lead wrote is stored and not worked on yet: whether it begins a new turn is known in a moment.
  if (await hasUnreadInbound(reader, dialogue.channel_id, dialogue.chat_id)) return;
  const product = await readProduct(reader, dialogue.product_id);
  const config = await classificationOf(reader, dialogue.product_id);
  if (!product || !config || !around || !lead) return;
  failpoint('classify.beforeModel');
  const judged = await classifyConversation(
    ground,
    {
      product,
      dialogueId: dialogue.id,
      turn: row.turn,
      values: await templateValues(reader, { product, lead, contact: around }),
      said: await history(reader, dialogue.id, HISTORY),
    },
    config,
  );
  failpoint('classify.afterModel');
  if (judged.kind === 'judged') return apply(ground, row, judged.value);
  const { reason, lasting, paused } = judged;
  if (paused) {
    return ground.transact(async (tx) => {
      await pauseClassification(tx, row.id, reason);
      await tell(tx, row, around.lead_id);
    });
  }
  if (lasting) return end(ground, row, 'failed', reason);
  const pause = Math.min(ground.config.retryBaseSeconds * 2 ** row.tries, LONGEST_PAUSE) * (0.75 + Math.random() / 2);
  const spent = await ground.transact((tx) => postponeClassification(tx, row.id, pause, reason, PATIENCE_SECONDS));
  if (spent) await end(ground, row, 'failed', reason);
}

/** Moves the lead as judged: in one transaction with the result, under the locks of dialogue and lead. */
async function apply(ground: Ground, row: ClassificationRow, verdict: Verdict): Promise<void> {
  await ground.transact(async (tx) => {
    const dialogue = await lockDialogue(tx, row.dialogue_id);
    const around = dialogue ? await surroundings(tx, dialogue.id) : null;
    const lead = around ? await holdLead(tx, around.lead_id) : undefined;
    if (!dialogue || !around) return;
    if (await hasUnreadInbound(tx, dialogue.channel_id, dialogue.chat_id)) return;
    const why = dialogue.turn === row.turn ? await obstacle(tx, dialogue, lead) : NEWER;
    if (!(await settleClassification(tx, row.id, why === null ? 'done' : 'void', why))) return;
    await tell(tx, row, around.lead_id);
    if (why !== null) return;
    const { result, configId, optOut } = verdict;
    await keepResult(tx, {
      productId: row.product_id,
      dialogueId: row.dialogue_id,
      configId,
      turn: row.turn,
      result,
    });
    if (result.confirmed !== false) await changeStage(tx, around.lead_id, result.stage, BY, silence, result.reason);
    if (optOut) await deactivate(tx, around.lead_id, BY, silence, true);
    failpoint('classify.beforeCommit');
  });
  failpoint('classify.afterCommit');
}

async function end(ground: Ground, row: ClassificationRow, state: 'void' | 'failed', note: string): Promise<void> {
  await ground.transact(async (tx) => {
    if (!(await settleClassification(tx, row.id, state, note))) return;
    const around = await surroundings(tx, row.dialogue_id);
    if (around) await tell(tx, row, around.lead_id);
  });
}

async function tell(tx: Tx, row: ClassificationRow, leadId: number): Promise<void> {
  announce(tx, 'dialogue', row.product_id, [row.dialogue_id]);
  announce(tx, 'lead', row.product_id, [leadId]);
}

/** An operator wants the lead's last words classified now, or again. Refuses what would not be classified. */
export async function classifyByHand(tx: Tx, id: number, writing: Writing): Promise<void> {
  const dialogue = await lockDialogue(tx, id);
  const around = dialogue ? await surroundings(tx, id) : null;
  if (!dialogue || !around) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
  if (dialogue.turn === 0) throw refuse(dialogueRefusals, 'classification.nothing');
  const why = await obstacle(tx, dialogue, await holdLead(tx, around.lead_id));
  if (why !== null) throw refuse(dialogueRefusals, 'classification.not_now', { why });
  if ((await reopenClassification(tx, dialogue)) === 'done') throw refuse(dialogueRefusals, 'classification.done');
  await recordDeed(tx, {
    ...writing,
    action: 'classify',
    noun: 'dialogue',
    rowId: id,
    productId: dialogue.product_id,
  });
  announce(tx, 'dialogue', dialogue.product_id, [id]);
  announce(tx, 'lead', dialogue.product_id, [around.lead_id]);
}
