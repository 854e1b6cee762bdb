/** Processes a request with the scripted model, for every protocol. */
import { randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { ModelVendor } from '../contract.ts';
import { destroy } from '../http.ts';
import type { World } from '../world.ts';
import { answerTo } from './answer.ts';
import { faultyAnswer, type TakeFault } from './faultyAnswer.ts';
import { takePlantedFaults } from './plantedFaults.ts';
import { type Answer, type ChatRequest, lastUserTexts, promptTokens, tokensIn } from './request.ts';
import { sendCompletion, type WireCompletion } from './stream.ts';

/** The request with its caller, and the switches at that time. */
export interface ModelCall {
  readonly world: World;
  readonly account: string;
  readonly chat: ChatRequest;
  readonly take: TakeFault;
}

export interface Completion {
  /** Id without the vendor's prefix. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
  readonly answer: Answer;
  readonly finish: 'stop' | 'length' | 'tool_calls';
  readonly usage: { readonly prompt: number; readonly completion: number };
}

/** Read the switches for this request. */
export function modelCall(vendor: ModelVendor, call: Omit<ModelCall, 'take'>): ModelCall {
  const { world, account, chat } = call;
  const occasion = { account, model: chat.model, text: lastUserTexts(chat).join('\n') };
  return { ...call, take: (fault) => world.faults.take(`${vendor}.${fault}`, occasion) };
}

/** Answer in the vendor's protocol, or cut the connection; record the answer in the journal. */
export async function respond(
  reply: FastifyReply,
  { world, account, chat, take }: ModelCall,
  words: (completion: Completion) => WireCompletion,
): Promise<FastifyReply> {
  if (take('reset') !== undefined) return destroy(reply);
  const completion = completed(chat, faultyAnswer(chat, take) ?? plantedAnswer(chat));
  reply.hijack();
  const whole = await sendCompletion({ response: reply.raw, world, completion: words(completion), take });
  if (world.closed()) return reply;
  const { id, answer, usage } = completion;
  const asked = { model: chat.model, stream: chat.stream ?? false, messages: chat.messages };
  const tokens = { promptTokens: usage.prompt, completionTokens: usage.completion };
  const toolCalls = answer.toolCalls.map((call) => call.name);
  world.journal.append({ kind: 'completion', account, id, ...asked, answer: answer.text, toolCalls, ...tokens, whole });
  return reply;
}

/** Answer with the faults that the prompt plants. */
function plantedAnswer(chat: ChatRequest): Answer {
  const { request, plant } = takePlantedFaults(chat, Math.random);
  return plant(answerTo(request));
}

/** Cut the answer at the caller's token limit, and count tokens. */
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

/** Split a text into words with the space before them, which are streamed one at a time. */
export function tokensOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

/** Split the arguments of a tool call as they are streamed. */
export const piecesOf = (text: string): string[] => text.match(/[\s\S]{1,12}/g) ?? [];
