/** The way of a request through the sandbox's model, whichever protocol brought it. */
import { randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Fault, ModelFault, ModelVendor } from '../contract.ts';
import type { World } from '../world.ts';
import { type Answer, answerTo } from './answer.ts';
import { faultyAnswer } from './faultyAnswer.ts';
import { type ChatRequest, promptTokens, tokensIn } from './request.ts';
import { sendCompletion, type WireCompletion } from './stream.ts';
import { lastUserText } from './tools.ts';

/** The fault of this kind that strikes here, if one does. */
export type TakeFault = (fault: ModelFault) => Fault | undefined;

/** Who asks, and the switches as they stand for his request. */
export interface ModelCall {
  readonly account: string;
  readonly take: TakeFault;
}

export interface Completion {
  /** Without the vendor's prefix. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
  readonly answer: Answer;
  readonly finish: 'stop' | 'length' | 'tool_calls';
  readonly usage: { readonly prompt: number; readonly completion: number };
}

/** The switches as they stand for this request. */
export function modelCall(world: World, vendor: ModelVendor, account: string, chat: ChatRequest): ModelCall {
  const occasion = { account, model: chat.model, text: lastUserText(chat) };
  return { account, take: (fault) => world.faults.take(`${vendor}.${fault}`, occasion) };
}

/** Answers in the vendor's words, or cuts the connection; journals what was said. */
export async function respond(
  world: World,
  reply: FastifyReply,
  chat: ChatRequest,
  { account, take }: ModelCall,
  words: (completion: Completion) => WireCompletion,
): Promise<FastifyReply> {
  if (take('reset') !== undefined) {
    reply.hijack();
    reply.raw.socket?.destroy();
    return reply;
  }
  const completion = completed(chat, faultyAnswer(chat, take) ?? answerTo(chat));
  reply.hijack();
  const whole = await sendCompletion(reply.raw, world, words(completion), take);
  if (world.closed()) return reply;
  world.journal.append({
    kind: 'completion',
    account,
    id: completion.id,
    model: chat.model,
    stream: chat.stream ?? false,
    messages: chat.messages,
    answer: completion.answer.text,
    toolCalls: completion.answer.toolCalls.map((call) => call.name),
    promptTokens: completion.usage.prompt,
    completionTokens: completion.usage.completion,
    whole,
  });
  return reply;
}

/** Cuts at the caller's token limit, and counts. */
function completed(chat: ChatRequest, answer: Answer): Completion {
  const limit = chat.max_completion_tokens ?? chat.max_tokens ?? Number.POSITIVE_INFINITY;
  const tokens = tokensOf(answer.text);
  const short = tokens.length > limit;
  const text = short ? tokens.slice(0, limit).join('') : answer.text;
  const called = answer.toolCalls.map((call) => call.name + call.arguments).join('');
  return {
    id: randomUUID().replaceAll('-', ''),
    created: Math.floor(Date.now() / 1_000),
    model: chat.model,
    answer: { text, toolCalls: answer.toolCalls },
    finish: answer.toolCalls.length > 0 ? 'tool_calls' : short ? 'length' : 'stop',
    usage: { prompt: promptTokens(chat), completion: tokensIn(text + called) },
  };
}

/** Words with the space before them: what the model says at a time. */
export function tokensOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}
