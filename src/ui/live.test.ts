import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { onConnectionRefused } from './api.ts';
import { openStream } from './live.ts';

class FakeEventSource {
  static readonly CONNECTING = 0;
  static readonly CLOSED = 2;
  static last: FakeEventSource | null = null;
  readyState = FakeEventSource.CONNECTING;
  onopen = () => {};
  onerror = () => {};
  constructor() {
    FakeEventSource.last = this;
  }
  close(): void {
    this.readyState = FakeEventSource.CLOSED;
  }
}

let refused = 0;
beforeEach(() => {
  refused = 0;
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', FakeEventSource);
  vi.stubGlobal('window', { addEventListener: () => {}, removeEventListener: () => {} });
  onConnectionRefused(() => {
    refused += 1;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  onConnectionRefused(() => {});
});

it('checks the session when the stream is refused, not when the connection is lost', () => {
  const states: string[] = [];
  const close = openStream(
    '/v1/live',
    () => {},
    (state) => states.push(state),
  );
  FakeEventSource.last?.onopen();
  // Like a lost connection: the browser would reconnect by itself.
  FakeEventSource.last?.onerror();
  expect(refused).toBe(0);
  vi.runOnlyPendingTimers();
  // Like a response that is not an event stream.
  FakeEventSource.last?.close();
  FakeEventSource.last?.onerror();
  expect(refused).toBe(1);
  expect(states).toEqual(['connecting', 'connected', 'disconnected', 'disconnected']);
  close();
});
