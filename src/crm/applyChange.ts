/** A card may have changed: it is read through the API, and only what is read is acted on. */
import type { AppContext } from '../platform/appContext.ts';
import { readCard, readCardsOfContact } from './amocrm/api.ts';
import { applyCard, applyDeletion, emptyCounts } from './applyCard.ts';
import { retryDelaySeconds } from './retryDelay.ts';
import { saveError } from './store/accounts.ts';
import {
  type CrmChange,
  claimChange,
  deferChange,
  deleteChange,
  readRealClock,
  recordChanges,
  releaseChange,
} from './store/cards.ts';

/** Reads what a hook told of, and applies it; what fails is done again later. */
export async function applyChange(context: AppContext, change: CrmChange): Promise<void> {
  const claim = await claimChange(context.reader, change, context.instanceId);
  if (!claim) return;
  try {
    const failed = await (change.entity === 'card' ? syncCard(context, change) : syncContact(context, change));
    if (!failed) return await deleteChange(context.reader, change, claim.told);
    // Without keys it waits for them; the sweep leaves it alone meanwhile.
    if (failed.kind === 'reconnect') return;
    await saveError(context.reader, change.integration, failed.reason);
    const retrySeconds = failed.kind === 'away' ? failed.retryAfterSeconds : 600;
    await deferChange(context.reader, change, retrySeconds ?? retryDelaySeconds(context.config, claim.tries));
  } finally {
    await releaseChange(context.reader, change, context.instanceId);
  }
}

async function syncCard(context: AppContext, { integration, id }: CrmChange) {
  const readAt = await readRealClock(context.reader);
  const read = await readCard(context, integration, id);
  if (read.kind !== 'read') return read;
  if (read.value) return applyCard(context, integration, read.value, readAt, emptyCounts());
  await applyDeletion(context, integration, id, readAt, emptyCounts());
  return null;
}

/** A contact is looked at through its cards. */
async function syncContact(context: AppContext, { integration, id }: CrmChange) {
  const read = await readCardsOfContact(context, integration, id);
  if (read.kind !== 'read') return read;
  await recordChanges(context.reader, integration, { cards: read.value, contacts: [] });
  return null;
}
