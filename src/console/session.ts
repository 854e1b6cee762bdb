/** The session as known to this tab: checked on load, ended by any 401. */
import { useSyncExternalStore } from 'react';
import { logout, type OperatorSelf, operatorSelf, validate } from '../access/contract.ts';
import { ApiError, call, onConnectionRefused, onSessionExpired } from '../ui/api.ts';
import { deleteDraftsOf, deleteExpiredDrafts } from '../ui/drafts.ts';
import { trackActivity } from '../ui/operatorActivity.ts';
import { queryClient } from '../ui/query.ts';
import { toast } from '../ui/toast.ts';
import { announceExpiry, EXPIRED_MARK, recordSignIn, SIGNED_IN_KEY } from './sessionRecord.ts';

export type Session =
  /**
   * `previousOperator`: who was last signed in here. The frame around the pages is rendered for them while checking.
   */
  | { state: 'checking'; previousOperator: OperatorSelf | null }
  | { state: 'in'; operator: OperatorSelf }
  /** `byLogout`: the operator logged out, so the login page does not return to the previous page. */
  | { state: 'out'; byLogout: boolean }
  | { state: 'unreachable'; error: ApiError };

/** Check a session again when the tab becomes visible after this long. */
const CHECK_AGAIN_AFTER_MS = 5 * 60_000;
const CHECK_UNREACHABLE_EVERY_MS = 3000;

let session: Session = { state: 'checking', previousOperator: readPreviousOperator() };
let checkedAt = 0;
let checking: Promise<void> | null = null;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let startHandler: () => void = () => {};
const listeners = new Set<() => void>();

export function useSession(): Session {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => session,
  );
}

/**
 * Ask the server who is signed in. Concurrent callers share one request. Called on load, by the Retry button of the
 * 'unreachable' screen, and after a refused socket or stream.
 */
export function checkSession(): Promise<void> {
  checking ??= fetchSession().finally(() => {
    checking = null;
  });
  return checking;
}

async function fetchSession(): Promise<void> {
  clearTimeout(retryTimer);
  try {
    startSession(await call(validate));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) setSession({ state: 'out', byLogout: false });
    else if (session.state !== 'in') {
      setSession({ state: 'unreachable', error });
      clearTimeout(retryTimer);
      retryTimer = setTimeout(() => void checkSession(), CHECK_UNREACHABLE_EVERY_MS);
    }
  }
}

/** Start the session after a successful login. Clears the cache left by another operator. */
export function startSession(operator: OperatorSelf): void {
  if (session.state === 'in' && session.operator.id === operator.id) {
    checkedAt = Date.now();
    const {
      second_factor_missing: factor,
      password_change_due: password,
      second_factor_guessed: guessed,
    } = session.operator;
    const isChanged =
      factor !== operator.second_factor_missing ||
      password !== operator.password_change_due ||
      guessed !== operator.second_factor_guessed;
    if (isChanged) setSession({ state: 'in', operator });
    return;
  }
  queryClient.clear();
  checkedAt = Date.now();
  recordSignIn(operator);
  deleteExpiredDrafts();
  setSession({ state: 'in', operator });
  startHandler();
}

/** End the session here and on the server. Discards the operator's drafts, so ask first. */
export async function endSession(): Promise<void> {
  try {
    await call(logout);
  } catch (error) {
    // A 401 means that the session had already ended.
    if (!(error instanceof ApiError) || error.status !== 401) return toast.failure(error);
  }
  if (session.state === 'in') deleteDraftsOf(session.operator.id);
  clearSession(true);
}

/**
 * Watch for 401s, other tabs and long absences, and check the session. `onStart` is called when one starts.
 * @returns once the session was checked.
 */
export function watchSession({ onStart }: { onStart: () => void }): Promise<void> {
  startHandler = onStart;
  trackActivity();
  onSessionExpired(expireSession);
  onConnectionRefused(() => {
    if (session.state === 'in') void checkSession();
  });
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key !== SIGNED_IN_KEY) return;
    if (session.state === 'in' && newValue === null) clearSession(true);
    else if (session.state === 'in' && newValue === EXPIRED_MARK) expireSession();
    else if (newValue !== null && newValue !== EXPIRED_MARK) void checkSession();
  });
  document.addEventListener('visibilitychange', () => {
    const due = session.state === 'in' && Date.now() - checkedAt > CHECK_AGAIN_AFTER_MS;
    if (due && document.visibilityState === 'visible') void checkSession();
  });
  return checkSession();
}

/** Read who was signed in when this browser was last used; null if nobody was or the record is unreadable. */
function readPreviousOperator(): OperatorSelf | null {
  try {
    return operatorSelf.parse(JSON.parse(localStorage.getItem(SIGNED_IN_KEY) ?? 'null'));
  } catch {
    return null;
  }
}

function expireSession(): void {
  const mark = localStorage.getItem(SIGNED_IN_KEY);
  if (mark !== null && (mark !== EXPIRED_MARK || session.state === 'in')) announceExpiry();
  clearSession(false);
}

function clearSession(byLogout: boolean): void {
  if (byLogout) localStorage.removeItem(SIGNED_IN_KEY);
  else if (localStorage.getItem(SIGNED_IN_KEY) !== null) localStorage.setItem(SIGNED_IN_KEY, EXPIRED_MARK);
  setSession({ state: 'out', byLogout });
  queryClient.clear();
}

function setSession(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}
