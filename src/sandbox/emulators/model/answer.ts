/** The sandbox's scripted model. Pure: the same request gives the same answer. */
import { classify, wantsJson } from './classify.ts';
import { describeLeads, wantsPersonas } from './describeLeads.ts';
import { answerOperator, operatorRequest } from './operator.ts';
import { playLead, wantsPlay } from './playLead.ts';
import { prefer, wantsPreference } from './prefer.ts';
import { answerLead } from './reply.ts';
import type { Answer, ChatRequest } from './request.ts';
import { summarize, wantsSummary } from './summarize.ts';
import { callTested } from './toolCalls.ts';

export function answerTo(request: ChatRequest): Answer {
  const tested = callTested(request);
  if (tested) return { text: '', toolCalls: [tested] };
  if (wantsSummary(request)) return { text: summarize(request), toolCalls: [] };
  if (wantsPlay(request)) return { text: playLead(request), toolCalls: [] };
  if (wantsPersonas(request)) return { text: describeLeads(request), toolCalls: [] };
  if (wantsPreference(request)) return { text: prefer(request), toolCalls: [] };
  if (wantsJson(request)) return { text: classify(request), toolCalls: [] };
  const asked = operatorRequest(request);
  return asked === null ? answerLead(request) : answerOperator(request, asked);
}
