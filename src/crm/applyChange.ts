/** Read a card that may have changed through the API. Only what is read there is applied. */
import { deferFailed } from '../jobs/deferFailed.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { readCard, readCardsOfContact } from './amocrm/api.ts';
import { applyCard, applyDeletion, emptyCounts } from './applyCard.ts';
import { saveError } from './store/accounts.ts';
import {
  CHANGES,
  type CrmChange,
  claimChange,
  deferChange,
  deleteChange,
  readRealClock,
  recordChanges,
  releaseChange,
} from './store/cards.ts';
import { clearSkipped, recordSkipped } from './store/skipped.ts';
import { isOfCard } from './syncCards.ts';

/** Read the card or contact that a hook named, and apply it. Failures are retried later. */
export async function applyChange(context: AppContext, change: CrmChange): Promise<void> {
  const claim = await claimChange(context.reader, change, context);
  if (!claim) return;
  try {
    const { integration: crm_integration_id, entity, id: entity_id } = change;
    const failed = await context.claims.hold(CHANGES, [{ crm_integration_id, entity, entity_id }], () =>
      entity === 'card' ? syncCard(context, change) : syncContact(context, change),
    );
    if (!failed) return await deleteChange(context.reader, change, claim.hook_count);
    // Without keys it waits for them; meanwhile the sweep skips it.
    if (failed.kind === 'reconnect') return;
    await saveError(context.reader, change.integration, failed.reason);
    const retrySeconds = failed.kind === 'away' ? failed.retryAfterSeconds : 600;
    await deferChange(context.reader, change, retrySeconds ?? retryDelaySeconds(context, claim.attempts));
  } catch (error) {
    await deferFailed(context, { error, attempts: claim.attempts }, (seconds) =>
      deferChange(context.reader, change, seconds),
    );
  } finally {
    await releaseChange(context.reader, change, context.instanceId);
  }
}

async function syncCard(context: AppContext, { integration, id }: CrmChange) {
  const readAt = await readRealClock(context.reader);
  const read = await readCard(context, integration, id);
  const counts = emptyCounts();
  if (read.kind === 'read' && read.value === null)
    await applyDeletion(context, { integrationId: integration, cardId: id, readAt, counts });
  const failed =
    read.kind !== 'read'
      ? read
      : read.value && (await applyCard(context, { integrationId: integration, card: read.value, readAt, counts }));
  if (failed && !isOfCard(failed)) return failed;
  // It is read again when it changes, or when somebody asks for it.
  if (failed)
    await recordSkipped(context.reader, integration, [{ entity: 'card', id: String(id), reason: failed.reason }]);
  else await clearSkipped(context.reader, integration, { entity: 'card', ids: [id] });
  return null;
}

/** Read the cards of a contact and record each of them as changed. */
async function syncContact(context: AppContext, { integration, id }: CrmChange) {
  const read = await readCardsOfContact(context, integration, id);
  if (read.kind !== 'read') return read;
  const { cards, unreadable } = read.value;
  if (unreadable !== null)
    await recordSkipped(context.reader, integration, [{ entity: 'contact', id: String(id), reason: unreadable }]);
  else await clearSkipped(context.reader, integration, { entity: 'contact', ids: [id] });
  await recordChanges(context.reader, integration, { cards, contacts: [] });
  return null;
}
