/**
 * The poll of an account: read the cards that have changed and apply them. A card that cannot be read or applied is
 * recorded as skipped and does not keep the others waiting.
 */
import type { AppContext } from '../platform/appContext.ts';
import { readCards } from './amocrm/api.ts';
import { readEveryCard } from './amocrm/readEveryCard.ts';
import type { Card, ReadCard } from './amocrm/shapes.ts';
import {
  type ApplyFailure,
  applyCard,
  applyDeletion,
  emptyCounts,
  findNeededContacts,
  type SyncCounts,
} from './applyCard.ts';
import { type ContactsById, readContactsById } from './contacts.ts';
import { importedSteps } from './mapping.ts';
import { readCurrentDirectory } from './readDirectory.ts';
import { type Account, saveProgress, saveSync } from './store/accounts.ts';
import { readProductSettings, readRealClock, recordChanges } from './store/cards.ts';
import { clearSkipped, type NewSkip, recordSkipped } from './store/skipped.ts';
import { type SyncFailure, toFailure } from './syncFailure.ts';

/**
 * Seconds of changes that are read again by the next poll: of two changes within one second, one may be seen without the
 * other, and amoCRM's list may be a little behind.
 */
const OVERLAP_SECONDS = 60;
/** After so many cards in a row whose contacts could not be read, amoCRM itself is the reason. */
const MAX_AWAY = 3;

const claimLost: SyncFailure = { kind: 'away', reason: 'The look was taken over', retryAfterSeconds: 0 };
const unsorted: SyncFailure = {
  kind: 'refused',
  reason: 'amoCRM does not list the cards by the time of their change',
  retryAfterSeconds: null,
};

/** Read what changed since the last sync; if a full sync is requested, also all cards in the first steps. */
export async function syncCards(
  context: AppContext,
  account: Account,
  signal: AbortSignal,
): Promise<SyncFailure | null> {
  if (!account.poll_due && account.whole === null) return null;
  const { crm_integration_id: id } = account;
  const directory = await readCurrentDirectory(context, id);
  if (directory.kind !== 'read') return toFailure(directory);
  const counts = emptyCounts();
  const skipped = new Set<string>();
  const filters = account.whole === null ? [] : await filtersOfFirstSteps(context, id);
  for (const filter of filters) {
    const read = await syncMatching(context, { id, filter, from: 0, counts, skipped, signal });
    if ('kind' in read) return read;
  }
  const read = await syncMatching(context, {
    id,
    filter: new URLSearchParams(),
    from: Math.max(0, account.polled_until - OVERLAP_SECONDS),
    counts,
    skipped,
    signal,
    onProgress: (cursor) => saveProgress(context.reader, id, cursor),
  });
  if ('kind' in read) return read;
  await saveSync(context.reader, {
    id,
    until: read.until,
    whole: account.whole,
    counts: { read: read.count, ...counts },
  });
  return null;
}

async function filtersOfFirstSteps(context: AppContext, id: number): Promise<URLSearchParams[]> {
  const productSettings = await readProductSettings(context.reader, id);
  const steps = new Map(
    productSettings.flatMap((settings) => importedSteps(settings.config)).map((one) => [JSON.stringify(one), one]),
  );
  return [...steps.values()].map(
    ({ pipeline_id: pipeline, status_id: status }) =>
      new URLSearchParams({
        'filter[statuses][0][pipeline_id]': String(pipeline),
        'filter[statuses][0][status_id]': String(status),
      }),
  );
}

interface SyncInput {
  readonly id: number;
  readonly filter: URLSearchParams;
  /** Unix seconds by the CRM's clock. */
  readonly from: number;
  readonly counts: SyncCounts;
  /** Ids of what was skipped in this sync, which reads a card more than once. */
  readonly skipped: Set<string>;
  readonly signal: AbortSignal;
  readonly onProgress?: (cursor: number) => Promise<void>;
}

async function syncMatching(
  context: AppContext,
  { id, filter, from, counts, skipped, signal, onProgress }: SyncInput,
): Promise<SyncFailure | { until: number; count: number }> {
  let count = 0;
  const result = await readEveryCard<SyncFailure>(
    from,
    async (window) => {
      const readAt = await readRealClock(context.reader);
      const read = await readCards(context, { integrationId: id, filter, window });
      if (read.kind !== 'read') return { failure: toFailure(read) };
      if (signal.aborted) return { failure: claimLost };
      count += read.value.cards.length;
      const failure = await applyPage(context, { id, cards: read.value.cards, readAt, counts, skipped });
      return failure ? { failure } : { page: read.value };
    },
    onProgress,
  );
  if ('until' in result) return { until: result.until, count };
  return result.failure === 'unsorted' ? unsorted : result.failure;
}

interface PageInput {
  readonly id: number;
  readonly cards: readonly ReadCard[];
  readonly readAt: string;
  readonly counts: SyncCounts;
  readonly skipped: Set<string>;
}

/** Apply the cards of a page. Returns the failure because of which the sync has to stop; null if it may go on. */
async function applyPage(
  context: AppContext,
  { id, cards, readAt, counts, skipped }: PageInput,
): Promise<SyncFailure | null> {
  const readable = cards.flatMap((one) => (one.kind === 'card' ? [one.card] : []));
  const contacts = await readContactsTogether(context, { integrationId: id, cards: readable, readAt });
  const skips: NewSkip[] = [];
  const applied: number[] = [];
  let away = 0;
  let stop: SyncFailure | null = null;
  for (const one of cards) {
    if (one.kind === 'unreadable') {
      skips.push({ entity: 'card', id: one.id, reason: one.reason });
      continue;
    }
    if (one.kind === 'deleted') {
      await applyDeletion(context, { integrationId: id, cardId: one.id, readAt, counts });
      applied.push(one.id);
      continue;
    }
    const { card } = one;
    const failed = await applyCard(context, { integrationId: id, card, readAt, counts, contacts });
    if (!failed) {
      applied.push(card.id);
      away = 0;
    } else if (isOfCard(failed)) skips.push({ entity: 'card', id: String(card.id), reason: failed.reason });
    else if (failed.kind === 'away' && ++away < MAX_AWAY)
      // It is read again by itself, until that succeeds.
      await recordChanges(context.reader, id, { cards: [card.id], contacts: [] });
    else {
      stop = toFailure(failed);
      break;
    }
  }
  for (const one of skips) skipped.add(one.id);
  counts.skipped = skipped.size;
  await recordSkipped(context.reader, id, skips);
  await clearSkipped(context.reader, id, { entity: 'card', ids: applied });
  return stop;
}

/** Whether the card is the reason of a failure, and not the account or the connection: others can be read. */
export const isOfCard = (failed: ApplyFailure): failed is Extract<ApplyFailure, { kind: 'refused' }> =>
  failed.kind === 'refused' && ![401, 402, 403].includes(failed.status);

/** Read the contacts of many cards in few calls. Where that fails, the contacts of each card are read by themselves. */
async function readContactsTogether(
  context: AppContext,
  input: { integrationId: number; cards: readonly Card[]; readAt: string },
): Promise<ContactsById> {
  const needed = await findNeededContacts(context, input);
  const read = await readContactsById(context, input.integrationId, needed);
  return read.kind === 'read' ? read.value : new Map();
}
