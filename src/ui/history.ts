/** The browser's history: the address as state, and guards that may stop a step. */
import { createBrowserHistory, type HistoryLocation, type RouterHistory } from '@tanstack/history';
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';

let current: RouterHistory | null = null;

/** Return the history of this tab. Created on first use, because tests load pages without a browser. */
export function browserHistory(): RouterHistory {
  current ??= createBrowserHistory();
  return current;
}

/** Return the current location; the component renders again when it changes. */
export function useLocation(): HistoryLocation {
  const history = browserHistory();
  return useSyncExternalStore(history.subscribe, () => history.location);
}

/** A step that is being held back. */
interface BlockedStep {
  readonly proceed: () => void;
  readonly stay: () => void;
}

interface BlockerOptions {
  /** Returns whether a step to another address is held back. */
  readonly isBlocking: () => boolean;
  /** Returns whether the browser asks before the tab is closed. */
  readonly asksBeforeUnload: () => boolean;
}

/** Hold back steps to other addresses. Returns the step that waits for a decision, or null. */
export function useBlocker({ isBlocking, asksBeforeUnload }: BlockerOptions): BlockedStep | null {
  const [blocked, setBlocked] = useState<BlockedStep | null>(null);
  const isBlockingNow = useEffectEvent(isBlocking);
  const asksNow = useEffectEvent(asksBeforeUnload);
  useEffect(
    () =>
      browserHistory().block({
        blockerFn: async () => {
          if (!isBlockingNow()) return false;
          const isStaying = await new Promise<boolean>((resolve) =>
            setBlocked({ proceed: () => resolve(false), stay: () => resolve(true) }),
          );
          setBlocked(null);
          return isStaying;
        },
        enableBeforeUnload: () => asksNow(),
      }),
    [],
  );
  return blocked;
}
