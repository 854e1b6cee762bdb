import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { whenConnectionIsRefused } from './api.ts';
import { openChatSocket } from './chatSocket.ts';

/** A server's end of a socket, as the browser shows it. */
class FakeSocket {
  static readonly OPEN = 1;
  static made: FakeSocket[] = [];
  readyState = 0;
  onopen = () => {};
  onmessage = (_event: { data: string }) => {};
  onerror = () => {};
  onclose = (_event: { code: number }) => {};
  constructor() {
    FakeSocket.made.push(this);
  }
  accept(): void {
    this.readyState = FakeSocket.OPEN;
    this.onopen();
  }
  drop(code = 1006): void {
    this.readyState = 3;
    this.onerror();
    this.onclose({ code });
  }
  close(): void {
    this.readyState = 3;
  }
}

const shown = { state: '', error: null as string | null, reconnected: 0, refused: 0 };

beforeEach(() => {
  FakeSocket.made = [];
  Object.assign(shown, { state: '', error: null, reconnected: 0, refused: 0 });
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', FakeSocket);
  whenConnectionIsRefused(() => {
    shown.refused += 1;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  whenConnectionIsRefused(() => {});
});

function open() {
  return openChatSocket('ws://console.test/chat', {
    isReconnecting: false,
    connectFailure: 'Failed to connect',
    setState: (state) => {
      shown.state = state;
    },
    setError: (error) => {
      shown.error = error;
    },
    listener: () => ({
      onFrame: () => {},
      onReconnected: () => {
        shown.reconnected += 1;
      },
      onUnreadable: () => {},
    }),
  });
}

function latest(): FakeSocket {
  const socket = FakeSocket.made.at(-1);
  if (socket === undefined) throw new Error('No socket was opened');
  return socket;
}

const pause = () => vi.advanceTimersByTime(1000);
const GAVE_UP = 'Failed to reconnect to chat server after 3 attempts';

it('gives up after 3 attempts, 1 s apart, on a server that accepts and drops every socket', () => {
  open();
  for (const expected of [1, 2, 3, 4]) {
    expect(FakeSocket.made).toHaveLength(expected);
    latest().accept();
    latest().drop();
    vi.advanceTimersByTime(999);
    expect(FakeSocket.made).toHaveLength(expected);
    vi.advanceTimersByTime(1);
  }
  vi.advanceTimersByTime(60_000);
  expect(FakeSocket.made).toHaveLength(4);
  expect(shown).toMatchObject({ state: 'disconnected', error: GAVE_UP, reconnected: 3, refused: 0 });
});

it('has all attempts again once a message has arrived', () => {
  open();
  for (let round = 0; round < 5; round += 1) {
    latest().accept();
    latest().onmessage({ data: '{}' });
    latest().drop();
    pause();
  }
  expect(FakeSocket.made).toHaveLength(6);
  expect(shown.error).toBeNull();
});

it('asks whether the session is over when the upgrade is refused', () => {
  open();
  latest().drop();
  expect(shown).toMatchObject({ refused: 1, error: 'Failed to connect' });
  pause();
  latest().accept();
  latest().drop();
  expect(shown.refused).toBe(1);
});

it('does not come back after a normal close, nor once it is closed here', () => {
  const connection = open();
  latest().accept();
  latest().drop(1000);
  pause();
  expect(FakeSocket.made).toHaveLength(1);
  expect(connection.send('{}')).toBe(false);
  open();
  latest().accept();
  connection.close();
  expect(shown.refused).toBe(0);
});
