/** Answers of a model gone wrong: what a fault puts in place of the sandbox model's own. */

import { type Answer, hostileAnswer } from './answer.ts';
import type { Take } from './answering.ts';
import type { ChatRequest } from './request.ts';

/** The bent answer of the first fault that strikes; undefined when none does. */
export function bentAnswer(chat: ChatRequest, take: Take): Answer | undefined {
  if (take('hostile') !== undefined) return hostileAnswer(chat);
  if (take('empty') !== undefined) return said('');
  if (take('half_json') !== undefined) return said('{"stage": "success", "reason": "The lead');
  if (take('other_language') !== undefined) {
    return said('<|im_start|>assistant <lang:zh> 您好，请问您需要什么帮助？ </lang> <|im_end|>');
  }
  const saying = take('says');
  if (saying !== undefined) return said(saying.says ?? '[object Object]');
  if (take('unknown_tool') !== undefined) {
    return { text: '', toolCalls: [{ name: 'delete_everything', arguments: '{"confirm":true}' }] };
  }
  return undefined;
}

function said(text: string): Answer {
  return { text, toolCalls: [] };
}
