import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { onConnectionRefused } from './api.ts';
import { openChatSocket } from './chatSocket.ts';

/** A WebSocket stub that is controlled from the server's side. */
class FakeSocket {
  static readonly OPEN = 1;
  static instances: FakeSocket[] = [];
  readyState = 0;
  onopen = () => {};
  onmessage = (_event: { data: string }) => {};
  onerror = () => {};
  onclose = (_event: { code: number }) => {};
  constructor() {
    FakeSocket.instances.push(this);
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

const ui = { state: '', error: null as string | null, reconnected: 0, refused: 0 };

beforeEach(() => {
  FakeSocket.instances = [];
  Object.assign(ui, { state: '', error: null, reconnected: 0, refused: 0 });
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', FakeSocket);
  onConnectionRefused(() => {
    ui.refused += 1;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  onConnectionRefused(() => {});
});

function open() {
  return openChatSocket('ws://console.test/chat', {
    isReconnecting: false,
    connectFailure: 'Failed to connect',
    setState: (state) => {
      ui.state = state;
    },
    setError: (error) => {
      ui.error = error;
    },
    listener: () => ({
      onFrame: () => {},
      onReconnected: () => {
        ui.reconnected += 1;
      },
      onUnreadable: () => {},
    }),
  });
}

function latest(): FakeSocket {
  const socket = FakeSocket.instances.at(-1);
  if (socket === undefined) throw new Error('No socket was opened');
  return socket;
}

const pause = () => vi.advanceTimersByTime(1000);
const GAVE_UP = 'Failed to reconnect to chat server after 3 attempts';

it('gives up after 3 attempts, 1 s apart, on a server that accepts and drops every socket', () => {
  open();
  for (const expected of [1, 2, 3, 4]) {
    expect(FakeSocket.instances).toHaveLength(expected);
    latest().accept();
    latest().drop();
    vi.advanceTimersByTime(999);
    expect(FakeSocket.instances).toHaveLength(expected);
    vi.advanceTimersByTime(1);
  }
  vi.advanceTimersByTime(60_000);
  expect(FakeSocket.instances).toHaveLength(4);
  expect(ui).toMatchObject({ state: 'disconnected', error: GAVE_UP, reconnected: 3, refused: 0 });
});

it('resets the attempts once a message has arrived', () => {
  open();
  for (let round = 0; round < 5; round += 1) {
    latest().accept();
    latest().onmessage({ data: '{}' });
    latest().drop();
    pause();
  }
  expect(FakeSocket.instances).toHaveLength(6);
  expect(ui.error).toBeNull();
});

it('has 3 attempts again once a connection without messages stayed open for 10 s', () => {
  open();
  for (let round = 0; round < 5; round += 1) {
    latest().accept();
    vi.advanceTimersByTime(10_000);
    latest().drop();
    pause();
  }
  expect(FakeSocket.instances).toHaveLength(6);
  for (const _attempt of [1, 2]) {
    latest().drop();
    pause();
  }
  expect(ui.error).toBeNull();
  latest().accept();
  vi.advanceTimersByTime(9999);
  latest().drop();
  vi.advanceTimersByTime(60_000);
  expect(FakeSocket.instances).toHaveLength(8);
  expect(ui).toMatchObject({ state: 'disconnected', error: GAVE_UP });
});

it('checks the session when the upgrade is refused', () => {
  open();
  latest().drop();
  expect(ui).toMatchObject({ refused: 1, error: 'Failed to connect' });
  pause();
  latest().accept();
  latest().drop();
  expect(ui.refused).toBe(1);
});

it('does not reconnect after a normal close or its own', () => {
  const connection = open();
  latest().accept();
  latest().drop(1000);
  pause();
  expect(FakeSocket.instances).toHaveLength(1);
  expect(connection.send('{}')).toBe(false);
  open();
  latest().accept();
  connection.close();
  expect(ui.refused).toBe(0);
});
