/**
 * Which tab of this browser sees to an alert: the first that claims it. The one in which the lead's dialogue is read comes
 * before all others, and a visible one before those that are hidden. Claims are kept in IndexedDB, whose transactions are the same for all tabs; what one tab writes to localStorage another may read late.
 */

const DATABASE = 'rapport-alerts';
const STORE = 'claims';
/** Claims that are kept: an alert is claimed within moments of its start. */
const MOST_CLAIMS = 300;
/** An older claim of the same id is of another installation under this address, milliseconds. */
const CLAIM_LIFETIME_MS = 3_600_000;
/** How long a tab leaves an alert to one that comes before it, milliseconds; a hidden one leaves it twice as long. */
const LATER_TAB_DELAY_MS = 250;

/** Claim an alert for this tab, in which it may be read already. False if another tab of this browser has claimed it. */
export async function claimAlert(id: number, { isRead }: { readonly isRead: boolean }): Promise<boolean> {
  const delay = LATER_TAB_DELAY_MS * (document.visibilityState === 'hidden' ? 2 : 1);
  if (!isRead) await new Promise((done) => setTimeout(done, delay));
  // Where a browser keeps nothing, each tab shows it: better twice than not at all.
  return recordClaim(id).catch(() => true);
}

async function recordClaim(id: number): Promise<boolean> {
  const database = await openDatabase();
  try {
    return await new Promise((resolve, reject) => {
      let isFirst = false;
      const transaction = database.transaction(STORE, 'readwrite');
      transaction.oncomplete = () => resolve(isFirst);
      transaction.onabort = () => reject(transaction.error ?? new Error('Not stored'));
      const claims = transaction.objectStore(STORE);
      const claim: IDBRequest<unknown> = claims.get(id);
      claim.onsuccess = () => {
        const at = claim.result;
        isFirst = typeof at !== 'number' || Date.now() - at > CLAIM_LIFETIME_MS;
        if (!isFirst) return;
        claims.put(Date.now(), id);
        claims.delete(IDBKeyRange.upperBound(id - MOST_CLAIMS));
      };
    });
  } finally {
    database.close();
  }
}

const openDatabase = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('Not opened'));
  });
