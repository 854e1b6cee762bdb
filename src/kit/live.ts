/**
 * A live stream of server-sent events. All tabs of a browser share one connection, because a browser gives a host no
 * more than six: the tab that holds the lock listens, the others hear it over a channel.
 */
import { useEffect, useSyncExternalStore } from 'react';
import { connectionRefused } from './api.ts';

export type LiveState = 'connecting' | 'connected' | 'disconnected';

/**
 * What the hook itself says after every break, and when it joins a stream: something may have been missed, or changed
 * since what is shown was read.
 */
const RESYNC = { type: 'resync' };

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;
/** How long the listening tab may be silent when asked before the lock is taken from it. */
const ANSWER_WITHIN_MS = 3000;

type Note = { kind: 'event'; event: unknown } | { kind: 'state'; state: LiveState } | { kind: 'ask' };

const SILENT = () => {};

/**
 * Calls `onEvent` with the parsed JSON of every event of the stream at `address`, and with `{ type: 'resync' }` after
 * every break. Null: no stream. Answers the state of the connection.
 *
 * `onEvent` has to be the same function at every render. Several callers may give the same one, as when a page asks for
 * the stream that the frame around it follows already: it still hears every event once.
 */
export function useLive(address: string | null, onEvent: (event: unknown) => void): LiveState {
  useEffect(() => (address === null ? SILENT : lineTo(address).listen(onEvent)), [address, onEvent]);
  return useSyncExternalStore(
    (tell) => (address === null ? SILENT : lineTo(address).watch(tell)),
    () => (address === null ? 'connecting' : lineTo(address).state()),
  );
}

interface Line {
  listen: (onEvent: (event: unknown) => void) => () => void;
  watch: (tell: () => void) => () => void;
  state: () => LiveState;
}

const lines = new Map<string, Line>();

function lineTo(address: string): Line {
  const known = lines.get(address);
  if (known) return known;
  const made = makeLine(address);
  lines.set(address, made);
  return made;
}

/** One per address and tab; open as long as anyone in this tab listens. */
function makeLine(address: string): Line {
  /** How many callers gave the function. */
  const listeners = new Map<(event: unknown) => void, number>();
  const watchers = new Set<() => void>();
  let state: LiveState = 'connecting';
  let close: (() => void) | null = null;

  const setState = (next: LiveState) => {
    if (state === next) return;
    state = next;
    for (const tell of watchers) tell();
  };
  const emit = (event: unknown) => {
    for (const tell of listeners.keys()) tell(event);
  };
  return {
    listen: (onEvent) => {
      const callers = listeners.get(onEvent) ?? 0;
      listeners.set(onEvent, callers + 1);
      if (callers === 0 && state === 'connected') queueMicrotask(() => listeners.has(onEvent) && onEvent(RESYNC));
      close ??= share(address, emit, setState);
      return () => {
        const left = (listeners.get(onEvent) ?? 1) - 1;
        if (left > 0) listeners.set(onEvent, left);
        else listeners.delete(onEvent);
        if (listeners.size > 0) return;
        close?.();
        close = null;
        state = 'connecting';
      };
    },
    watch: (tell) => {
      watchers.add(tell);
      return () => watchers.delete(tell);
    },
    state: () => state,
  };
}

/** Takes part in the sharing of one connection: listens itself when this tab holds the lock, else hears the others. */
function share(address: string, emit: (event: unknown) => void, setState: (state: LiveState) => void): () => void {
  // Locks exist in secure contexts only; elsewhere every tab has a connection of its own.
  if (!('locks' in navigator)) return openStream(address, emit, setState);

  const name = `live ${address}`;
  const channel = new BroadcastChannel(name);
  let ended = false;
  let leading: { state: LiveState } | null = null;
  let joined = false;
  let deadline: ReturnType<typeof setTimeout> | undefined;
  let endTurn = () => {};
  const queue = new AbortController();
  const say = (note: Note) => channel.postMessage(note);

  const lead = () =>
    new Promise<void>((resolve) => {
      if (ended) return resolve();
      clearTimeout(deadline);
      const turn = { state: 'connecting' as LiveState };
      leading = turn;
      const disconnect = openStream(
        address,
        (event) => {
          emit(event);
          say({ kind: 'event', event });
        },
        (next) => {
          turn.state = next;
          setState(next);
          say({ kind: 'state', state: next });
        },
      );
      endTurn = () => {
        leading = null;
        disconnect();
        resolve();
      };
    });

  const queueUp = (steal: boolean) => {
    const options = steal ? { steal: true } : { signal: queue.signal };
    navigator.locks.request(name, options, lead).catch(() => {
      // Another tab took the lock, because this one had been asleep; or the page is leaving.
      endTurn();
      if (!ended && !queue.signal.aborted) queueUp(false);
    });
  };

  const ask = () => {
    if (leading !== null || document.visibilityState === 'hidden') return;
    clearTimeout(deadline);
    deadline = setTimeout(() => queueUp(true), ANSWER_WITHIN_MS);
    say({ kind: 'ask' });
  };

  channel.onmessage = ({ data }: MessageEvent<Note>) => {
    if (data.kind === 'ask') {
      if (leading !== null) say({ kind: 'state', state: leading.state });
      return;
    }
    if (leading !== null) return;
    clearTimeout(deadline);
    if (data.kind === 'event') return emit(data.event);
    setState(data.state);
    if (data.state !== 'connected' || joined) return;
    joined = true;
    emit(RESYNC);
  };
  document.addEventListener('visibilitychange', ask);
  queueUp(false);
  ask();

  return () => {
    ended = true;
    clearTimeout(deadline);
    document.removeEventListener('visibilitychange', ask);
    queue.abort();
    endTurn();
    channel.close();
  };
}

/** One EventSource, opened again with growing pauses: the browser itself gives up for good after an HTTP error. */
export function openStream(
  address: string,
  emit: (event: unknown) => void,
  setState: (state: LiveState) => void,
): () => void {
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
      // After an answer that is no stream the browser gives up by itself; after a lost connection it would try again.
      if (source?.readyState === EventSource.CLOSED) connectionRefused();
      source?.close();
      setState('disconnected');
      const pause = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures) * (0.75 + Math.random() / 2);
      failures += 1;
      timer = setTimeout(open, pause);
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
