/** The session as this tab knows it: checked on load, ended by any 401. */
import { useSyncExternalStore } from 'react';
import { ApiError, call, whenSessionExpires } from '../kit/api.ts';
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
/** A console left open is checked again when it is looked at after this long. */
const CHECK_AGAIN_AFTER_MS = 5 * 60_000;
const CHECK_UNREACHABLE_EVERY_MS = 3000;

let session: Session = { state: 'checking', known: lastOperator() };
let checkedAt = 0;
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

/** Asks the server who is signed in. Called on load, and by the Retry of the 'unreachable' screen. */
export async function checkSession(): Promise<void> {
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
    return;
  }
  queryClient.clear();
  checkedAt = Date.now();
  localStorage.setItem(MARK, JSON.stringify(operator));
  become({ state: 'in', operator });
}

/** Ends the session here and on the server. */
export async function leave(): Promise<void> {
  try {
    await call(logout);
  } catch (error) {
    // A 401 says that it had ended already.
    if (!(error instanceof ApiError) || error.status !== 401) return toast.failure(error);
  }
  forget(true);
}

/** Begins to watch for 401s, other tabs and long absences, and checks the session. */
export function watchSession(): void {
  whenSessionExpires(expire);
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === MARK && newValue === null && session.state === 'in') forget(true);
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
  if (localStorage.getItem(MARK) !== null) toast.error(t('Session expired - redirecting to login'));
  forget(false);
}

function forget(left: boolean): void {
  localStorage.removeItem(MARK);
  become({ state: 'out', left });
  queryClient.clear();
}

function become(next: Session): void {
  session = next;
  for (const tell of watchers) tell();
}
