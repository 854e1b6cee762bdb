/** Does what the plan finds due for claimed leads: expiries and prepared messages in sets, models' texts beside the sweep. */

import type { SweepTools } from '../jobs/sweeps.ts';
import type { CancelPending } from '../leads/changeStage.ts';
import type { AppContext } from '../platform/appContext.ts';
import { violatedConstraint } from '../platform/db.ts';
import { inHalves } from '../platform/inHalves.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { modelQueue, readProduct } from '../products/product.ts';
import type { DueAction } from './evaluateDue.ts';
import { expireLeads } from './expireLeads.ts';
import { MAX_TEXT_RETRY_SECONDS } from './messageText.ts';
import { storeFollowUps, writeFollowUp } from './sendFollowUp.ts';
import { LEADS, recordFailures, releaseDoneLeads, releaseLeads } from './store/outreach.ts';

/** Do what is due. Returns when nothing is left but what waits for models. */
export async function actOnDue(
  context: AppContext,
  { due, cancelPending, tools }: { due: readonly DueAction[]; cancelPending: CancelPending; tools: SweepTools },
): Promise<void> {
  const expired: number[] = [];
  const prepared: number[] = [];
  const queues = new Map<number, string>();
  for (const action of due) {
    const { leadId, productId, decision } = action;
    if (decision.kind === 'expire') expired.push(leadId);
    else if (decision.step.prepared_message_id !== null) prepared.push(leadId);
    else {
      const queue = queues.get(productId) ?? (await queueOf(context, productId));
      queues.set(productId, queue);
      const write = () => doForAll(context, [leadId], () => writeFollowUp(context, { ...action, decision }));
      void whileClaimed(context, [leadId], () => startBeside(tools, { queue, key: `ping ${leadId}`, work: write }));
    }
  }
  await whileClaimed(context, expired, () =>
    doForAll(context, expired, (leadIds) => expireLeads(context, cancelPending, leadIds)),
  );
  await whileClaimed(context, prepared, () =>
    doForAll(context, prepared, (leadIds) => storeFollowUps(context, leadIds)),
  );
}

/** Name the queue of a product's model; answers wait in it as well. */
async function queueOf(context: AppContext, productId: number): Promise<string> {
  const product = await readProduct(context.reader, productId);
  return product ? modelQueue(context, product, 'ping') : 'follow-ups';
}

/** Run work in a queue. Resolves when it has ended, to whether it ran. */
const startBeside = (
  tools: SweepTools,
  { queue, key, work }: { queue: string; key: string; work: () => Promise<void> },
): Promise<boolean> =>
  new Promise((resolve, reject) => {
    if (!tools.start(queue, key, () => work().then(() => resolve(true), reject))) resolve(false);
  });

/**
 * Hold claimed leads while work runs, then release them. If it fails, they are due again; if there is no room for it, once
 * their claims end.
 */
async function whileClaimed(
  context: AppContext,
  leadIds: readonly number[],
  work: () => Promise<boolean | void>,
): Promise<void> {
  if (leadIds.length === 0) return;
  const hold = context.claims.begin(
    LEADS,
    leadIds.map((id) => ({ lead_id: id })),
  );
  let release = releaseDoneLeads;
  try {
    if ((await work()) === false) return hold.end();
  } catch (error) {
    context.log.warn({ leads: leadIds, error: String(error) }, 'what is due for leads could not be done');
    release = releaseLeads;
  }
  await retryWhileDatabaseUnavailable(context, () => release(context.reader, leadIds, context.instanceId)).catch(
    (error: unknown) => context.log.warn({ leads: leadIds, error: String(error) }, 'leads could not be released'),
  );
  hold.end();
}

/** Do work for leads together. A lead for which it fails is evaluated again later, and does not keep the others. */
async function doForAll(
  context: AppContext,
  leadIds: readonly number[],
  work: (leadIds: readonly number[]) => Promise<void>,
): Promise<void> {
  await inHalves(leadIds, {
    work,
    async onFailure(leadId, error) {
      // Another worker stored this step first.
      if (violatedConstraint(error)?.name === 'messages_ping_once') return;
      context.log.error({ lead: leadId, error: String(error) }, 'what is due for a lead cannot be done');
      const reason = { code: 'text', reason: 'It could not be stored' } as const;
      await context.transact((tx) => recordFailures(tx, [{ leadId, reason, pauseSeconds: MAX_TEXT_RETRY_SECONDS }]));
    },
  });
}
