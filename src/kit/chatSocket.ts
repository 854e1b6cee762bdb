/** A chat's socket: its state, its errors in the console's words, and the way back after a break. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { t } from './t.ts';

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

const MOST_ATTEMPTS = 3;
const PAUSE_MS = 1000;
const NORMAL = 1000;

interface Listener {
  /** A parsed message. */
  onFrame: (frame: unknown) => void;
  /** The connection is there again: what was said before is gone with the old one. */
  onReconnected: () => void;
  /** What came could not be read: whatever was awaited may never come. */
  onUnreadable: () => void;
}

/** What the operator is told where the connection or a message fails. */
interface Words {
  readonly connect: string;
  readonly send: string;
}

const WORDS: Words = { connect: t('Failed to connect'), send: t('Failed to send message') };

/** Holds a socket to `path` open while the caller is mounted. */
export function useChatSocket(path: string | null, listener: Listener, words: Words = WORDS): ChatSocket {
  const [state, setState] = useState<SocketState>('connecting');
  const [error, setError] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const socket = useRef<WebSocket | null>(null);
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  const { connect, send: sendFailure } = words;

  useEffect(() => {
    if (path === null) return undefined;
    let attempts = 0;
    let ended = false;
    let wasOpen = round > 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const address = `${window.location.origin.replace(/^http/, 'ws')}${path}`;

    const open = () => {
      setState('connecting');
      let made: WebSocket;
      try {
        made = new WebSocket(address);
      } catch {
        setState('disconnected');
        setError(connect);
        return;
      }
      socket.current = made;
      made.onopen = () => {
        attempts = 0;
        setState('connected');
        setError(null);
        if (wasOpen) latest.current.onReconnected();
        wasOpen = true;
      };
      made.onmessage = ({ data }: MessageEvent<unknown>) => {
        try {
          latest.current.onFrame(JSON.parse(String(data)));
        } catch {
          setError(t('Failed to parse server response'));
          latest.current.onUnreadable();
        }
      };
      made.onerror = () => {
        if (!ended && !wasOpen) setError(connect);
      };
      made.onclose = ({ code }) => {
        if (ended) return;
        setState('disconnected');
        if (code === NORMAL) return;
        if (attempts >= MOST_ATTEMPTS) {
          setError(t('Failed to reconnect to chat server after {{count}} attempts', { count: `${MOST_ATTEMPTS}` }));
          return;
        }
        attempts += 1;
        timer = setTimeout(open, PAUSE_MS);
      };
    };
    open();
    return () => {
      ended = true;
      clearTimeout(timer);
      socket.current?.close(NORMAL);
      socket.current = null;
    };
  }, [path, round, connect]);

  const send = useCallback(
    (frame: unknown) => {
      if (socket.current?.readyState !== WebSocket.OPEN) {
        setError(t('WebSocket not connected'));
        return false;
      }
      try {
        socket.current.send(JSON.stringify(frame));
        return true;
      } catch {
        setError(sendFailure);
        return false;
      }
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
