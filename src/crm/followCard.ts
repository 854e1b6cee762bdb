/** A card may have changed: it is read through the API, and only what is read is acted on. */
import type { Ground } from '../platform/ground.ts';
import { readCard } from './amocrm/api.ts';
import { applyCard, applyDeletion, nothingCame } from './applyCard.ts';
import { pauseSeconds } from './pauses.ts';
import { saveError } from './store/accounts.ts';
import { holdChange, postponeChange, realNow, releaseChange, settleChange } from './store/cards.ts';

/** Reads a card that a hook told of, and applies it; what fails is done again later. */
export async function followCard(ground: Ground, integrationId: number, cardId: number): Promise<void> {
  const change = await holdChange(ground.reader, integrationId, cardId, ground.life);
  if (!change) return;
  try {
    await follow(ground, integrationId, cardId, change);
  } finally {
    await releaseChange(ground.reader, integrationId, cardId, ground.life);
  }
}

async function follow(
  ground: Ground,
  integrationId: number,
  cardId: number,
  change: { told: number; tries: number },
): Promise<void> {
  const readAt = await realNow(ground.reader);
  const read = await readCard(ground, integrationId, cardId);
  const failed =
    read.kind !== 'read'
      ? read
      : read.value === null
        ? await applyDeletion(ground, integrationId, cardId, readAt, nothingCame())
        : await applyCard(ground, integrationId, read.value, readAt, nothingCame());
  if (!failed) return settleChange(ground.reader, integrationId, cardId, change.told);
  // Without keys it waits for them; the sweep leaves it alone meanwhile.
  if (failed.kind === 'reconnect') return;
  await saveError(ground.reader, integrationId, failed.reason);
  const asked = failed.kind === 'away' ? failed.retryAfterSeconds : 600;
  await postponeChange(ground.reader, integrationId, cardId, asked ?? pauseSeconds(ground.config, change.tries));
}
