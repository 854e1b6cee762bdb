/** The session as this tab knows it: checked on load, ended by any 401. */
import { useSyncExternalStore } from 'react';
import { logout, type OperatorSelf, operatorSelf, validate } from '../access/contract.ts';
import { ApiError, call, onConnectionRefused, onSessionExpired } from '../ui/api.ts';
import { deleteDraftsOf, deleteExpiredDrafts } from '../ui/drafts.ts';
import { t } from '../ui/i18n.ts';
import { trackActivity } from '../ui/operatorActivity.ts';
import { queryClient } from '../ui/query.ts';
import { toast } from '../ui/toast.ts';

export type Session =
  /** `known`: who was signed in here last. The frame around the pages is drawn for him meanwhile. */
  | { state: 'checking'; previousOperator: OperatorSelf | null }
  | { state: 'in'; operator: OperatorSelf }
  /** `left`: by logging out, so there is nowhere to return to. */
  | { state: 'out'; byLogout: boolean }
  | { state: 'unreachable'; error: ApiError };

/** Tells a session that has run out from a visitor who never signed in, and other tabs that the session has ended. */
const SIGNED_IN_KEY = 'rapport-signed-in';
/** Stands in its place when the session ran out: every tab comes back to what it shows. */
const EXPIRED_MARK = 'ran-out';
/** A console left open is checked again when it is looked at after this long. */
const CHECK_AGAIN_AFTER_MS = 5 * 60_000;
const CHECK_UNREACHABLE_EVERY_MS = 3000;

let session: Session = { state: 'checking', previousOperator: readPreviousOperator() };
let checkedAt = 0;
let checking: Promise<void> | null = null;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
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
 * Asks the server who is signed in, once for all who ask at the same time. Called on load, by the Retry of the
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

/** After a successful login. What another operator has left in the cache goes. */
export function startSession(operator: OperatorSelf): void {
  if (session.state === 'in' && session.operator.id === operator.id) {
    checkedAt = Date.now();
    const { second_factor_missing: factor, password_change_due: password } = session.operator;
    if (factor !== operator.second_factor_missing || password !== operator.password_change_due)
      setSession({ state: 'in', operator });
    return;
  }
  queryClient.clear();
  checkedAt = Date.now();
  localStorage.setItem(SIGNED_IN_KEY, JSON.stringify(operator));
  deleteExpiredDrafts();
  setSession({ state: 'in', operator });
}

/** Ends the session here and on the server. What the operator has not saved is discarded: ask before. */
export async function endSession(): Promise<void> {
  try {
    await call(logout);
  } catch (error) {
    // A 401 says that it had ended already.
    if (!(error instanceof ApiError) || error.status !== 401) return toast.failure(error);
  }
  if (session.state === 'in') deleteDraftsOf(session.operator.id);
  clearSession(true);
}

/** Begins to watch for 401s, other tabs and long absences, and checks the session. */
export function watchSession(): void {
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
  void checkSession();
}

/** Who was signed in when this browser was last used; null: nobody, or nobody who is known any more. */
function readPreviousOperator(): OperatorSelf | null {
  try {
    return operatorSelf.parse(JSON.parse(localStorage.getItem(SIGNED_IN_KEY) ?? 'null'));
  } catch {
    return null;
  }
}

function expireSession(): void {
  const mark = localStorage.getItem(SIGNED_IN_KEY);
  if (mark !== null && (mark !== EXPIRED_MARK || session.state === 'in'))
    toast.error(t('Session expired - redirecting to login'));
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
