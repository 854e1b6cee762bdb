/**
 * Derives the answer or tool calls of the sandbox's model from a request. Pure: the same request gives the same answer.
 */
import { askedByOperator, assistantAnswer } from './assistant/answer.ts';
import { obeying } from './assistant/hostile.ts';
import { classification, wantsJson } from './classify.ts';
import { reply, type Turn } from './reply.ts';
import { type ChatRequest, systemOf, textOf } from './request.ts';
import { chooseTools, lastUserText, type ToolCall, toolResults, valueOf } from './tools.ts';

export interface Answer {
  text: string;
  toolCalls: ToolCall[];
}

export function answerTo(request: ChatRequest): Answer {
  if (wantsJson(request)) return { text: classification(request), toolCalls: [] };
  const operator = askedByOperator(request);
  if (operator !== null) return assistantAnswer(request, operator);
  const toolCalls = chooseTools(request);
  if (toolCalls.length > 0) return { text: '', toolCalls };
  return { text: reply(systemOf(request), turnsOf(request), toolResults(request)), toolCalls: [] };
}

/** Obey every instruction in the request, repeat the prompt, and call every offered tool, every time. */
export function hostileAnswer(request: ChatRequest): Answer {
  const operator = askedByOperator(request);
  if (operator !== null) return obeying(request, operator);
  const userText = lastUserText(request);
  const toolCalls = (request.tools ?? []).map((tool) => ({
    name: tool.function.name,
    arguments: JSON.stringify(valueOf(tool.function.parameters ?? {}, userText, userText.split('\n'))),
  }));
  const obeyed = [
    ...`${systemOf(request)}\n${userText}`.matchAll(
      /(?:say|repeat|write|answer with|reply with|print|скажи|повтори|напиши|ответь)\s*[:"«]?\s*([^\n"»]+)/gi,
    ),
  ];
  const obeyedText = obeyed.flatMap((found) => found[1] ?? []).join('\n');
  return { text: `${obeyedText}\n${systemOf(request)}\n${userText}`.trim(), toolCalls };
}

function turnsOf(request: ChatRequest): Turn[] {
  return request.messages.flatMap((message): Turn[] => {
    if (message.role === 'user') return [{ role: 'user', text: textOf(message) }];
    const text = textOf(message);
    return message.role === 'assistant' && text !== '' ? [{ role: 'assistant', text }] : [];
  });
}
