/**
 * A live stream of server-sent events, shared by all tabs of a browser. Browsers allow at most six connections per
 * host, so the tab that owns the lock connects and broadcasts the events to the others.
 */
import { useEffect, useSyncExternalStore } from 'react';
import { backoff } from '../platform/backoff.ts';
import { reportConnectionRefused } from './api.ts';

export type LiveState = 'connecting' | 'connected' | 'disconnected';

/**
 * Event emitted by the hook after every reconnect and when it joins a stream. Events may have been missed, or data may
 * have changed since it was read.
 */
const RESYNC = { type: 'resync' };

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;
/** Time the connected tab has to answer before another tab takes over its lock. */
const ANSWER_TIMEOUT_MS = 3000;

type TabMessage = { kind: 'event'; event: unknown } | { kind: 'state'; state: LiveState } | { kind: 'ask' };

type Emit = (event: unknown) => void;
type SetState = (state: LiveState) => void;

const NOOP = () => {};

/**
 * Subscribe to a stream of server-sent events. Calls `onEvent` with the parsed JSON of every event at `address`, and
 * with `{ type: 'resync' }` after every reconnect. Null: no stream. Returns the state of the connection.
 *
 * `onEvent` must be the same function at every render. Several callers may pass the same function, for example a page
 * and the frame around it; it is still called once per event.
 */
export function useLive(address: string | null, onEvent: (event: unknown) => void): LiveState {
  useEffect(() => (address === null ? NOOP : sharedStreamOf(address).listen(onEvent)), [address, onEvent]);
  return useSyncExternalStore(
    (listener) => (address === null ? NOOP : sharedStreamOf(address).watch(listener)),
    () => (address === null ? 'connecting' : sharedStreamOf(address).state()),
  );
}

interface SharedStream {
  listen: (onEvent: (event: unknown) => void) => () => void;
  watch: (listener: () => void) => () => void;
  state: () => LiveState;
}

const sharedStreams = new Map<string, SharedStream>();

function sharedStreamOf(address: string): SharedStream {
  const existing = sharedStreams.get(address);
  if (existing) return existing;
  const stream = createSharedStream(address);
  sharedStreams.set(address, stream);
  return stream;
}

/** Create the stream of an address in this tab. It is open while it has listeners. */
function createSharedStream(address: string): SharedStream {
  /** Number of callers per listener function. */
  const listeners = new Map<(event: unknown) => void, number>();
  const watchers = new Set<() => void>();
  let state: LiveState = 'connecting';
  let close: (() => void) | null = null;

  const setState = (next: LiveState) => {
    if (state === next) return;
    state = next;
    for (const listener of watchers) listener();
  };
  const emit = (event: unknown) => {
    for (const listener of listeners.keys()) listener(event);
  };
  return {
    listen: (onEvent) => {
      const callers = listeners.get(onEvent) ?? 0;
      listeners.set(onEvent, callers + 1);
      if (callers === 0 && state === 'connected') queueMicrotask(() => listeners.has(onEvent) && onEvent(RESYNC));
      close ??= joinSharedConnection(address, emit, setState);
      return () => {
        const remaining = (listeners.get(onEvent) ?? 1) - 1;
        if (remaining > 0) listeners.set(onEvent, remaining);
        else listeners.delete(onEvent);
        if (listeners.size > 0) return;
        close?.();
        close = null;
        state = 'connecting';
      };
    },
    watch: (listener) => {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    state: () => state,
  };
}

/**
 * Join the shared connection: connect when this tab gets the lock, otherwise receive the broadcasts of the tab that has
 * it.
 */
function joinSharedConnection(address: string, emit: Emit, setState: SetState): () => void {
  // Locks exist in secure contexts only. Elsewhere every tab opens its own connection.
  if (!('locks' in navigator)) return openStream(address, emit, setState);

  const name = `live ${address}`;
  const channel = new BroadcastChannel(name);
  const broadcast = (message: TabMessage) => channel.postMessage(message);
  const leadership = createLeadership({ address, broadcast, emit, setState });
  let ended = false;
  let joined = false;
  let deadline: ReturnType<typeof setTimeout> | undefined;
  const queue = new AbortController();

  const requestLock = (steal: boolean) => {
    const options = steal ? { steal: true } : { signal: queue.signal };
    const lead = () => {
      clearTimeout(deadline);
      return ended ? undefined : leadership.begin();
    };
    navigator.locks.request(name, options, lead).catch(() => {
      // Another tab took over the lock because this one did not answer, or the page is closing.
      leadership.end();
      if (!ended && !queue.signal.aborted) requestLock(false);
    });
  };

  const askLeader = () => {
    if (leadership.state() !== null || document.visibilityState === 'hidden') return;
    clearTimeout(deadline);
    deadline = setTimeout(() => requestLock(true), ANSWER_TIMEOUT_MS);
    broadcast({ kind: 'ask' });
  };

  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    const ownState = leadership.state();
    if (ownState !== null) {
      if (data.kind === 'ask') broadcast({ kind: 'state', state: ownState });
      return;
    }
    if (data.kind === 'ask') return;
    clearTimeout(deadline);
    if (data.kind === 'event') return emit(data.event);
    setState(data.state);
    if (data.state !== 'connected' || joined) return;
    joined = true;
    emit(RESYNC);
  };
  document.addEventListener('visibilitychange', askLeader);
  requestLock(false);
  askLeader();

  return () => {
    ended = true;
    clearTimeout(deadline);
    document.removeEventListener('visibilitychange', askLeader);
    queue.abort();
    leadership.end();
    channel.close();
  };
}

/** The connection of the tab that owns the lock. It broadcasts what it receives to the other tabs. */
function createLeadership({
  address,
  broadcast,
  emit,
  setState,
}: {
  address: string;
  broadcast: (message: TabMessage) => void;
  emit: Emit;
  setState: SetState;
}) {
  let state: LiveState | null = null;
  let end = () => {};
  return {
    /** Null: this tab does not own the lock. */
    state: () => state,
    end: () => end(),
    /** Connect. The promise, and with it the lock, lasts until `end`. */
    begin: () =>
      new Promise<void>((resolve) => {
        state = 'connecting';
        const disconnect = openStream(
          address,
          (event) => {
            emit(event);
            broadcast({ kind: 'event', event });
          },
          (next) => {
            state = next;
            setState(next);
            broadcast({ kind: 'state', state: next });
          },
        );
        end = () => {
          state = null;
          disconnect();
          resolve();
        };
      }),
  };
}

/** Open an EventSource and reopen it with growing delays, because browsers give up permanently after an HTTP error. */
export function openStream(address: string, emit: Emit, setState: SetState): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  const open = () => {
    source = new EventSource(address);
    source.onopen = () => {
      failures = 0;
      setState('connected');
      emit(RESYNC);
    };
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const event = parse(data);
      if (event !== undefined) emit(event);
    };
    source.onerror = () => {
      // Browsers close the source after an invalid response, but would retry a lost connection themselves.
      if (source?.readyState === EventSource.CLOSED) reportConnectionRefused();
      source?.close();
      setState('disconnected');
      const delay = backoff({ base: FIRST_RETRY_MS, failures, max: LAST_RETRY_MS });
      failures += 1;
      timer = setTimeout(open, delay);
    };
  };
  const retryNow = () => {
    if (source?.readyState !== EventSource.CLOSED) return;
    clearTimeout(timer);
    open();
  };
  setState('connecting');
  open();
  window.addEventListener('online', retryNow);
  return () => {
    window.removeEventListener('online', retryNow);
    clearTimeout(timer);
    source?.close();
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
