/** Answers of a faulty model: what a fault puts in place of the sandbox model's own. */

import { type Answer, hostileAnswer } from './answer.ts';
import type { ChatRequest } from './request.ts';
import type { TakeFault } from './respond.ts';

/** Return the answer of the first fault that applies; undefined if none does. */
export function faultyAnswer(chat: ChatRequest, take: TakeFault): Answer | undefined {
  if (take('hostile') !== undefined) return hostileAnswer(chat);
  if (take('empty') !== undefined) return textAnswer('');
  if (take('half_json') !== undefined) return textAnswer('{"stage": "success", "reason": "The lead');
  if (take('other_language') !== undefined) {
    return textAnswer('<|im_start|>assistant <lang:zh> 您好，请问您需要什么帮助？ </lang> <|im_end|>');
  }
  const textFault = take('says');
  if (textFault !== undefined) return textAnswer(textFault.says ?? '[object Object]');
  if (take('unknown_tool') !== undefined) {
    return { text: '', toolCalls: [{ name: 'delete_everything', arguments: '{"confirm":true}' }] };
  }
  return undefined;
}

function textAnswer(text: string): Answer {
  return { text, toolCalls: [] };
}
