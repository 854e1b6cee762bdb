/**
 * First messages that a vendor took and found later to be for nobody in that messenger. The status itself is settled where
 * it is received, with the vendor's id held; what outreach makes of it needs the product's line and the lead before the
 * message, so it is done here, in a transaction of its own.
 */
import { enqueue } from '../jobs/runner.ts';
import type { Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import { announce } from '../platform/live.ts';
import type { Gate } from './gate.ts';
import { surroundings } from './store/dialogues.ts';
import { markFoundNobody, readMessage, takeFoundNobody } from './store/messages.ts';

export const FOUND_NOBODY = 'found.nobody';

/** Keeps that it is to be settled, and wakes whoever does it. */
export async function noteNobody(tx: Tx, messageId: number): Promise<void> {
  await markFoundNobody(tx, messageId);
  await enqueue(tx, FOUND_NOBODY, { message: messageId });
}

/** Settles it, once: the slot of the day, the lead's stage, the person's other contact. */
export async function settleNobody(ground: Ground, gate: Gate, messageId: number): Promise<void> {
  await ground.transact(async (tx) => {
    const message = await readMessage(tx, messageId);
    const around = message ? await surroundings(tx, message.dialogue_id) : null;
    if (!message?.found_nobody || !around) return;
    await gate.settling(tx, message, around.lead_id);
    const taken = await takeFoundNobody(tx, messageId);
    // Delivered after all, or sent again by an operator: the vendor has taken it back.
    if (taken?.status !== 'error') return;
    await gate.foundNobody(tx, taken, around.lead_id);
    failpoint('nobody.beforeCommit');
    announce(tx, 'message', message.product_id, [messageId]);
  });
}
