/** Which tab of this browser shows an alert: the first that claims it, a visible one before the others. */

const STORAGE_KEY = 'rapport-alerts-shown';
const LOCK = 'rapport alerts';
/** Ids that are kept: an alert is claimed within moments of its start. */
const MOST_IDS = 300;
/** How long a hidden tab leaves an alert to a visible one, milliseconds. */
const HIDDEN_TAB_DELAY_MS = 250;

/** Claim an alert for this tab. False if a tab of this browser has shown it. */
export async function claimAlert(id: number): Promise<boolean> {
  if (document.visibilityState === 'hidden') await new Promise((done) => setTimeout(done, HIDDEN_TAB_DELAY_MS));
  // Locks exist in secure contexts only.
  return 'locks' in navigator ? navigator.locks.request(LOCK, () => record(id)) : record(id);
}

function record(id: number): boolean {
  const ids = readIds();
  if (ids.includes(id)) return false;
  localStorage.setItem(STORAGE_KEY, JSON.stringify([...ids, id].slice(-MOST_IDS)));
  return true;
}

function readIds(): number[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]');
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : [];
  } catch {
    return [];
  }
}
