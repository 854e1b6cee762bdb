/** The session as this tab knows it: checked on load, ended by any 401. */
import { useSyncExternalStore } from 'react';
import { ApiError, call, whenConnectionIsRefused, whenSessionExpires } from '../kit/api.ts';
import { watchInputs } from '../kit/atWork.ts';
import { dropDraftsOf, sweepDrafts } from '../kit/drafts.ts';
import { queryClient } from '../kit/query.ts';
import { t } from '../kit/t.ts';
import { toast } from '../kit/toast.ts';
import { logout, type OperatorSelf, operatorSelf, validate } from '../operators/contract.ts';

export type Session =
  /** `known`: who was signed in here last. The frame around the pages is drawn for him meanwhile. */
  | { state: 'checking'; known: OperatorSelf | null }
  | { state: 'in'; operator: OperatorSelf }
  /** `left`: by logging out, so there is nowhere to return to. */
  | { state: 'out'; left: boolean }
  | { state: 'unreachable'; error: ApiError };

/** Tells a session that has run out from a visitor who never signed in, and other tabs that the session has ended. */
const MARK = 'rapport-signed-in';
/** Stands in its place when the session ran out: every tab comes back to what it shows. */
const RAN_OUT = 'ran-out';
/** A console left open is checked again when it is looked at after this long. */
const CHECK_AGAIN_AFTER_MS = 5 * 60_000;
const CHECK_UNREACHABLE_EVERY_MS = 3000;

let session: Session = { state: 'checking', known: lastOperator() };
let checkedAt = 0;
let checking: Promise<void> | null = null;
let nextTry: ReturnType<typeof setTimeout> | undefined;
const watchers = new Set<() => void>();

export function useSession(): Session {
  return useSyncExternalStore(
    (tell) => {
      watchers.add(tell);
      return () => watchers.delete(tell);
    },
    () => session,
  );
}

/**
 * Asks the server who is signed in, once for all who ask at the same time. Called on load, by the Retry of the
 * 'unreachable' screen, and after a refused socket or stream.
 */
export function checkSession(): Promise<void> {
  checking ??= askWhoIsSignedIn().finally(() => {
    checking = null;
  });
  return checking;
}

async function askWhoIsSignedIn(): Promise<void> {
  clearTimeout(nextTry);
  try {
    enter(await call(validate));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) become({ state: 'out', left: false });
    else if (session.state !== 'in') {
      become({ state: 'unreachable', error });
      clearTimeout(nextTry);
      nextTry = setTimeout(() => void checkSession(), CHECK_UNREACHABLE_EVERY_MS);
    }
  }
}

/** After a successful login. What another operator has left in the cache goes. */
export function enter(operator: OperatorSelf): void {
  if (session.state === 'in' && session.operator.id === operator.id) {
    checkedAt = Date.now();
    const { second_factor_missing: factor, password_change_due: password } = session.operator;
    if (factor !== operator.second_factor_missing || password !== operator.password_change_due)
      become({ state: 'in', operator });
    return;
  }
  queryClient.clear();
  checkedAt = Date.now();
  localStorage.setItem(MARK, JSON.stringify(operator));
  sweepDrafts();
  become({ state: 'in', operator });
}

/** Ends the session here and on the server. What the operator has not saved is discarded: ask before. */
export async function leave(): Promise<void> {
  try {
    await call(logout);
  } catch (error) {
    // A 401 says that it had ended already.
    if (!(error instanceof ApiError) || error.status !== 401) return toast.failure(error);
  }
  if (session.state === 'in') dropDraftsOf(session.operator.id);
  forget(true);
}

/** Begins to watch for 401s, other tabs and long absences, and checks the session. */
export function watchSession(): void {
  watchInputs();
  whenSessionExpires(expire);
  whenConnectionIsRefused(() => {
    if (session.state === 'in') void checkSession();
  });
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key !== MARK) return;
    if (session.state === 'in' && newValue === null) forget(true);
    else if (session.state === 'in' && newValue === RAN_OUT) expire();
    else if (newValue !== null && newValue !== RAN_OUT) void checkSession();
  });
  document.addEventListener('visibilitychange', () => {
    const due = session.state === 'in' && Date.now() - checkedAt > CHECK_AGAIN_AFTER_MS;
    if (due && document.visibilityState === 'visible') void checkSession();
  });
  void checkSession();
}

/** Who was signed in when this browser was last used; null: nobody, or nobody who is known any more. */
function lastOperator(): OperatorSelf | null {
  try {
    return operatorSelf.parse(JSON.parse(localStorage.getItem(MARK) ?? 'null'));
  } catch {
    return null;
  }
}

function expire(): void {
  const mark = localStorage.getItem(MARK);
  if (mark !== null && (mark !== RAN_OUT || session.state === 'in'))
    toast.error(t('Session expired - redirecting to login'));
  forget(false);
}

function forget(left: boolean): void {
  if (left) localStorage.removeItem(MARK);
  else if (localStorage.getItem(MARK) !== null) localStorage.setItem(MARK, RAN_OUT);
  become({ state: 'out', left });
  queryClient.clear();
}

function become(next: Session): void {
  session = next;
  for (const tell of watchers) tell();
}
