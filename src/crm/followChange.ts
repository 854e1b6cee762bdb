/** A card may have changed: it is read through the API, and only what is read is acted on. */
import type { Ground } from '../platform/ground.ts';
import { readCard, readCardsOfPerson } from './amocrm/api.ts';
import { applyCard, applyDeletion, nothingCame } from './applyCard.ts';
import { pauseSeconds } from './pauses.ts';
import { saveError } from './store/accounts.ts';
import {
  type Changed,
  holdChange,
  postponeChange,
  realNow,
  releaseChange,
  settleChange,
  tellChanges,
} from './store/cards.ts';

/** Reads what a hook told of, and applies it; what fails is done again later. */
export async function followChange(ground: Ground, changed: Changed): Promise<void> {
  const held = await holdChange(ground.reader, changed, ground.life);
  if (!held) return;
  try {
    const failed = await (changed.entity === 'card' ? followCard(ground, changed) : followPerson(ground, changed));
    if (!failed) return await settleChange(ground.reader, changed, held.told);
    // Without keys it waits for them; the sweep leaves it alone meanwhile.
    if (failed.kind === 'reconnect') return;
    await saveError(ground.reader, changed.integration, failed.reason);
    const asked = failed.kind === 'away' ? failed.retryAfterSeconds : 600;
    await postponeChange(ground.reader, changed, asked ?? pauseSeconds(ground.config, held.tries));
  } finally {
    await releaseChange(ground.reader, changed, ground.life);
  }
}

async function followCard(ground: Ground, { integration, id }: Changed) {
  const readAt = await realNow(ground.reader);
  const read = await readCard(ground, integration, id);
  if (read.kind !== 'read') return read;
  if (read.value) return applyCard(ground, integration, read.value, readAt, nothingCame());
  await applyDeletion(ground, integration, id, readAt, nothingCame());
  return null;
}

/** A contact is looked at through its cards. */
async function followPerson(ground: Ground, { integration, id }: Changed) {
  const read = await readCardsOfPerson(ground, integration, id);
  if (read.kind !== 'read') return read;
  await tellChanges(ground.reader, integration, { cards: read.value, persons: [] });
  return null;
}
