/** A chat's socket: its state, its errors in the console's words, and the way back after a break. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { reportConnectionRefused } from './api.ts';
import { t } from './i18n.ts';

export type SocketState = 'connecting' | 'connected' | 'disconnected';

export interface ChatSocket {
  readonly state: SocketState;
  readonly error: string | null;
  /** Whether it was sent; why not stands in `error`. */
  send: (frame: unknown) => boolean;
  dismiss: () => void;
  /** Begins anew, with all attempts. */
  retry: () => void;
}

const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 1000;
const NORMAL_CLOSURE = 1000;

interface Listener {
  /** A parsed message. */
  onFrame: (frame: unknown) => void;
  /** The connection is there again: what was said before is gone with the old one. */
  onReconnected: () => void;
  /** What came could not be read: whatever was awaited may never come. */
  onUnreadable: () => void;
}

/** What the operator is told where the connection or a message fails. */
interface FailureTexts {
  readonly connect: string;
  readonly send: string;
}

const DEFAULT_FAILURE_TEXTS: FailureTexts = { connect: t('Failed to connect'), send: t('Failed to send message') };

/** Holds a socket to `path` open while the caller is mounted. */
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
  /** False when there is no open socket. Throws when the socket refuses the text. */
  send: (text: string) => boolean;
  close: () => void;
}

interface ConnectionOptions {
  /** The first opening follows an earlier connection: what was said before is gone. */
  isReconnecting: boolean;
  /** Shown when the very first attempt fails. */
  connectFailure: string;
  setState: (state: SocketState) => void;
  setError: (error: string | null) => void;
  listener: () => Listener;
}

/** Opens a socket to `address`, and again after an abnormal close: at most three times until a message arrives. */
export function openChatSocket(address: string, options: ConnectionOptions): Connection {
  const { connectFailure, setState, setError, listener } = options;
  let socket: WebSocket | null = null;
  let attempts = 0;
  let closed = false;
  let wasOpen = options.isReconnecting;
  let timer: ReturnType<typeof setTimeout> | undefined;

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
    };
    newSocket.onmessage = ({ data }: MessageEvent<unknown>) => {
      // Only a message shows that the server serves this socket: one that accepts and drops it is not tried forever.
      attempts = 0;
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
