/** Sends an answer, whole or token by token, with the faults that apply meanwhile. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../contract.ts';
import type { World } from '../world.ts';
import type { TakeFault } from './faultyAnswer.ts';

/** A completion in a vendor's protocol. */
export interface WireCompletion {
  /** Null if the caller does not want a stream. */
  readonly frames: readonly Frame[] | null;
  /** Text that closes the stream, after the last frame. */
  readonly end: string;
  /** An invalid frame. */
  readonly broken: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A frame of a stream in its wire format. `token`: it carries a part of the answer. */
export interface Frame {
  readonly token: boolean;
  readonly text: string;
}

interface Sending {
  readonly response: ServerResponse;
  readonly world: World;
  readonly completion: WireCompletion;
  readonly take: TakeFault;
}

/** Send the answer; resolves to true if the caller received all of it. */
export async function sendCompletion(sending: Sending): Promise<boolean> {
  const { response, world, completion } = sending;
  const disconnected = new AbortController();
  response.on('close', () => disconnected.abort());
  world.streams.count += 1;
  try {
    return completion.frames
      ? await stream(sending, completion.frames, disconnected.signal)
      : await whole(sending, disconnected.signal);
  } catch (error) {
    if (disconnected.signal.aborted) return false;
    throw error;
  } finally {
    world.streams.count -= 1;
  }
}

async function whole({ response, world, completion, take }: Sending, disconnected: AbortSignal): Promise<boolean> {
  const stall = take('stall_first') ?? take('stall_middle');
  if (stall !== undefined) await stalled(stall, disconnected);
  if ((take('cut') ?? take('ends_early')) !== undefined) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '4096' });
    response.write('{"id":"');
    response.socket?.destroySoon();
    return false;
  }
  const { firstTokenMs } = world.state.settings.llm;
  const slow = take('slow');
  await pause(firstTokenMs + (slow === undefined ? 0 : (slow.ms ?? 500)), undefined, { signal: disconnected });
  const body = JSON.stringify(completion.body);
  const malformed = take('malformed') !== undefined;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(malformed ? body.slice(0, body.length / 2) : body);
  return !malformed;
}

async function stream(
  { response, world, completion, take }: Sending,
  frames: readonly Frame[],
  disconnected: AbortSignal,
): Promise<boolean> {
  const type = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
  response.writeHead(200, { ...type, ...completion.headers });
  response.flushHeaders();
  const stall = take('stall_first');
  const strikes = (['stall_middle', 'malformed', 'cut', 'ends_early'] as const).flatMap((kind): Strike[] => {
    const fault = take(kind);
    const { afterTokens = 3, spread = 0 } = fault ?? {};
    return fault ? [{ kind, fault, at: afterTokens + Math.floor(world.faults.random() * (spread + 1)) }] : [];
  });
  const slow = take('slow');
  const { firstTokenMs, msPerToken } = world.state.settings.llm;
  const between = slow === undefined ? msPerToken : (slow.ms ?? 500);
  if (stall !== undefined) await stalled(stall, disconnected);
  if (firstTokenMs > 0) await pause(firstTokenMs, undefined, { signal: disconnected });
  let tokens = 0;
  for (const frame of frames) {
    const hits = strikes.filter(({ at }) => tokens === at || (!frame.token && tokens < at));
    for (const { kind, fault } of frame.token || tokens > 0 ? hits : []) {
      if (kind === 'stall_middle') await stalled(fault, disconnected);
      else if (kind === 'malformed') response.write(completion.broken);
      else {
        if (kind === 'cut') response.socket?.destroySoon();
        else response.end();
        return false;
      }
    }
    if (frame.token && between > 0) await pause(between, undefined, { signal: disconnected });
    if (frame.token) tokens += 1;
    if (disconnected.aborted) return false;
    if (!response.write(frame.text)) await once(response, 'drain', { signal: disconnected });
  }
  response.end(completion.end);
  return true;
}

/** A fault, and the token at which it applies: that one, or the end of a shorter answer. */
interface Strike {
  readonly kind: 'stall_middle' | 'malformed' | 'cut' | 'ends_early';
  readonly fault: Fault;
  readonly at: number;
}

/** Wait for the fault's time, or until the caller has disconnected. */
async function stalled(fault: Fault, disconnected: AbortSignal): Promise<void> {
  if (fault.ms !== undefined) await pause(fault.ms, undefined, { signal: disconnected });
  else if (!disconnected.aborted) await once(disconnected, 'abort');
}
