/** Saying an answer: whole or token by token, with the faults that strike on the way. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../contract.ts';
import type { World } from '../world.ts';
import type { ChatRequest } from './request.ts';
import { type Completion, frames, wholeBody } from './wire.ts';

type Take = (kind: Fault['kind']) => Fault | undefined;

/** Resolves when the answer has ended; true when the caller got all of it. */
export async function streamed(
  response: ServerResponse,
  world: World,
  chat: ChatRequest,
  completion: Completion,
  take: Take,
): Promise<boolean> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  world.streams.count += 1;
  try {
    return chat.stream === true
      ? await stream(response, world, chat, completion, take, gone.signal)
      : await whole(response, world, completion, take, gone.signal);
  } catch (error) {
    if (gone.signal.aborted) return false;
    throw error;
  } finally {
    world.streams.count -= 1;
  }
}

async function whole(
  response: ServerResponse,
  world: World,
  completion: Completion,
  take: Take,
  gone: AbortSignal,
): Promise<boolean> {
  const stall = take('openai.stall_first') ?? take('openai.stall_middle');
  if (stall !== undefined) await stalled(stall, gone);
  if ((take('openai.cut') ?? take('openai.ends_early')) !== undefined) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '4096' });
    response.write('{"id":"chatcmpl-');
    response.socket?.destroySoon();
    return false;
  }
  const { firstTokenMs } = world.state.settings.llm;
  const slow = take('openai.slow');
  await pause(firstTokenMs + (slow === undefined ? 0 : (slow.ms ?? 500)), undefined, { signal: gone });
  const body = JSON.stringify(wholeBody(completion));
  const malformed = take('openai.malformed') !== undefined;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(malformed ? body.slice(0, body.length / 2) : body);
  return !malformed;
}

async function stream(
  response: ServerResponse,
  world: World,
  chat: ChatRequest,
  completion: Completion,
  take: Take,
  gone: AbortSignal,
): Promise<boolean> {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-request-id': completion.id,
  });
  response.flushHeaders();
  const breaks = {
    stallFirst: take('openai.stall_first'),
    stallMiddle: take('openai.stall_middle'),
    cut: take('openai.cut'),
    endsEarly: take('openai.ends_early'),
    malformed: take('openai.malformed'),
    slow: take('openai.slow'),
  };
  const { firstTokenMs, msPerToken } = world.state.settings.llm;
  const between = breaks.slow === undefined ? msPerToken : (breaks.slow.ms ?? 500);
  if (breaks.stallFirst !== undefined) await stalled(breaks.stallFirst, gone);
  if (firstTokenMs > 0) await pause(firstTokenMs, undefined, { signal: gone });

  let tokens = 0;
  for (const frame of frames(completion, chat.stream_options?.include_usage === true)) {
    if (frame.token || tokens > 0) {
      if (strikesAt(breaks.stallMiddle, tokens, frame.token)) await stalled(breaks.stallMiddle, gone);
      if (strikesAt(breaks.malformed, tokens, frame.token)) response.write('data: {"id":"chatcmpl-\n\n');
      if (strikesAt(breaks.cut, tokens, frame.token)) {
        response.socket?.destroySoon();
        return false;
      }
      if (strikesAt(breaks.endsEarly, tokens, frame.token)) {
        response.end();
        return false;
      }
    }
    if (frame.token && between > 0) await pause(between, undefined, { signal: gone });
    if (frame.token) tokens += 1;
    if (gone.aborted) return false;
    if (!response.write(`data: ${frame.data}\n\n`)) await once(response, 'drain', { signal: gone });
  }
  response.end('data: [DONE]\n\n');
  return true;
}

/** At its token, or at the end of an answer that is shorter than that. */
function strikesAt(fault: Fault | undefined, tokens: number, moreFollow: boolean): fault is Fault {
  if (fault === undefined) return false;
  const at = fault.afterTokens ?? 3;
  return tokens === at || (!moreFollow && tokens < at);
}

/** Waits the fault's time, or until the caller has gone. */
async function stalled(fault: Fault, gone: AbortSignal): Promise<void> {
  if (fault.ms !== undefined) await pause(fault.ms, undefined, { signal: gone });
  else if (!gone.aborted) await once(gone, 'abort');
}
