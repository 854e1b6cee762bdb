/** The WebSocket of a chat: its state, its errors as shown to the operator, and reconnection. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { reportConnectionRefused } from './api.ts';
import { t } from './i18n.ts';

export type SocketState = 'connecting' | 'connected' | 'disconnected';

export interface ChatSocket {
  readonly state: SocketState;
  readonly error: string | null;
  /** Returns whether the frame was sent. If not, `error` says why. */
  send: (frame: unknown) => boolean;
  dismiss: () => void;
  /** Reconnects with a fresh set of attempts. */
  retry: () => void;
}

const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 1000;
/** A connection that stayed open this long works: the next loss of it gets all attempts. */
const STABLE_MS = 10_000;
const NORMAL_CLOSURE = 1000;

interface Listener {
  /** Called with each parsed message. */
  onFrame: (frame: unknown) => void;
  /** The connection is back. Anything from the previous connection is gone. */
  onReconnected: () => void;
  /** A message could not be parsed. An expected answer may never arrive. */
  onUnreadable: () => void;
}

/** Error texts for a failed connection and a failed send. */
interface FailureTexts {
  readonly connect: string;
  readonly send: string;
}

const DEFAULT_FAILURE_TEXTS: FailureTexts = { connect: t('Failed to connect'), send: t('Failed to send message') };

/** Keep a WebSocket to `path` open while the caller is mounted. */
export function useChatSocket(
  path: string | null,
  listener: Listener,
  failureTexts: FailureTexts = DEFAULT_FAILURE_TEXTS,
): ChatSocket {
  const [state, setState] = useState<SocketState>('connecting');
  const [error, setError] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const connection = useRef<Connection | null>(null);
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  const { connect, send: sendFailure } = failureTexts;

  useEffect(() => {
    if (path === null) return undefined;
    const opened = openChatSocket(`${window.location.origin.replace(/^http/, 'ws')}${path}`, {
      isReconnecting: round > 0,
      connectFailure: connect,
      setState,
      setError,
      listener: () => latest.current,
    });
    connection.current = opened;
    return () => {
      connection.current = null;
      opened.close();
    };
  }, [path, round, connect]);

  const send = useCallback(
    (frame: unknown) => {
      try {
        if (connection.current?.send(JSON.stringify(frame))) return true;
        setError(t('WebSocket not connected'));
      } catch {
        setError(sendFailure);
      }
      return false;
    },
    [sendFailure],
  );

  return {
    state: path === null ? 'disconnected' : state,
    error,
    send,
    dismiss: () => setError(null),
    retry: () => {
      setError(null);
      setRound((before) => before + 1);
    },
  };
}

interface Connection {
  /** Returns false when no socket is open. Throws when the socket rejects the text. */
  send: (text: string) => boolean;
  close: () => void;
}

interface ConnectionOptions {
  /** The first connection follows an earlier one, whose messages are gone. */
  isReconnecting: boolean;
  /** Shown when the very first attempt fails. */
  connectFailure: string;
  setState: (state: SocketState) => void;
  setError: (error: string | null) => void;
  listener: () => Listener;
}

/** Open a socket to `address` and reconnect after an abnormal close, at most three times until it works again. */
export function openChatSocket(address: string, options: ConnectionOptions): Connection {
  const { connectFailure, setState, setError, listener } = options;
  let socket: WebSocket | null = null;
  let attempts = 0;
  let closed = false;
  let wasOpen = options.isReconnecting;
  /** Runs until the next attempt or, while the socket is open, until it counts as stable. */
  let timer: ReturnType<typeof setTimeout> | undefined;
  const resetAttempts = () => {
    attempts = 0;
  };

  const open = () => {
    setState('connecting');
    let newSocket: WebSocket;
    let isOpen = false;
    try {
      newSocket = new WebSocket(address);
    } catch {
      setState('disconnected');
      setError(connectFailure);
      return;
    }
    socket = newSocket;
    newSocket.onopen = () => {
      isOpen = true;
      setState('connected');
      setError(null);
      if (wasOpen) listener().onReconnected();
      wasOpen = true;
      timer = setTimeout(resetAttempts, STABLE_MS);
    };
    newSocket.onmessage = ({ data }: MessageEvent<unknown>) => {
      // Opening alone proves nothing: a server that accepts a socket and drops it must not be retried forever.
      resetAttempts();
      try {
        listener().onFrame(JSON.parse(String(data)));
      } catch {
        setError(t('Failed to parse server response'));
        listener().onUnreadable();
      }
    };
    newSocket.onerror = () => {
      if (!closed && !wasOpen) setError(connectFailure);
    };
    newSocket.onclose = ({ code }) => {
      if (closed) return;
      clearTimeout(timer);
      setState('disconnected');
      if (code === NORMAL_CLOSURE) return;
      if (!isOpen) reportConnectionRefused();
      if (attempts >= MAX_ATTEMPTS) {
        setError(t('Failed to reconnect to chat server after {{count}} attempts', { count: `${MAX_ATTEMPTS}` }));
        return;
      }
      attempts += 1;
      timer = setTimeout(open, RETRY_DELAY_MS);
    };
  };
  open();
  return {
    send: (text) => {
      if (socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(text);
      return true;
    },
    close: () => {
      closed = true;
      clearTimeout(timer);
      socket?.close(NORMAL_CLOSURE);
    },
  };
}
