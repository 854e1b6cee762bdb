/** The Gemini API (API reference, v1beta): `streamGenerateContent`. */
import { z } from 'zod';
import { listOf, optionalText, usageReport, usedTokens, written } from './fields.ts';
import { type FinishReason, type ModelMessage, partsOf } from './message.ts';
import { parseEvent } from './readEvents.ts';
import { parseJson } from './vendorError.ts';
import type { Wire } from './wire.ts';

/** Accepted by the vendor in place of a signature that another model could not give (Thought signatures). */
const NO_SIGNATURE = 'skip_thought_signature_validator';
const REQUIRES_SIGNATURES = /gemini-(?:[3-9]|\d\d)/;

const part = z.object({
  text: written,
  thought: z.union([z.boolean(), z.stringbool()]).nullish(),
  thoughtSignature: optionalText,
  functionCall: z.object({ id: optionalText, name: z.string(), args: z.unknown().optional() }).nullish(),
});
const chunk = z.object({
  modelVersion: optionalText,
  candidates: listOf(
    z.object({
      index: z.coerce.number().nullish().catch(null),
      content: z.object({ parts: listOf(part) }).nullish(),
      finishReason: optionalText,
    }),
  ),
  usageMetadata: usageReport,
  promptFeedback: z.object({ blockReason: optionalText }).nullish().catch(null),
});

const FINISHES: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  MALFORMED_FUNCTION_CALL: 'error',
};

export const gemini: Wire = {
  buildCall({ apiKey, baseUrl }, { model, system, messages, tools, temperature, maxTokens }) {
    const path = (model.includes('/') ? model : `models/${model}`).split('/').map(encodeURIComponent).join('/');
    const contents = messages.map((message) => toContent(message, REQUIRES_SIGNATURES.test(model)));
    return {
      url: `${baseUrl}/${path}:streamGenerateContent?alt=sse`,
      headers: { 'x-goog-api-key': apiKey },
      body: {
        generationConfig: {
          ...(temperature === null ? {} : { temperature }),
          ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
        },
        contents: contents.filter(({ parts }) => parts.length > 0),
        ...(system === '' ? {} : { systemInstruction: { parts: [{ text: system }] } }),
        ...(tools.length === 0
          ? {}
          : {
              tools: [
                {
                  functionDeclarations: tools.map(({ name, description, parameters }) => ({
                    name,
                    description,
                    parametersJsonSchema: parameters,
                  })),
                },
              ],
            }),
      },
    };
  },
  createReader(answer) {
    let hasCalled = false;
    const read = (data: string) => {
      const event = parseEvent(chunk, data, 'Gemini');
      if (!event) return;
      const { modelVersion, candidates, usageMetadata: used, promptFeedback } = event;
      answer.model ??= modelVersion ?? null;
      const tokens =
        used &&
        usedTokens({
          input: sum(used('promptTokenCount'), used('toolUsePromptTokenCount')),
          output: sum(used('candidatesTokenCount'), used('thoughtsTokenCount')),
          total: used('totalTokenCount'),
        });
      if (tokens) answer.reportUsage(tokens.input, tokens.output);
      if (promptFeedback?.blockReason) answer.finish = 'content-filter';
      // Of several answers, the first is read.
      const candidate = candidates?.find(({ index }) => (index ?? 0) === 0);
      for (const { text, thought, thoughtSignature, functionCall } of candidate?.content?.parts ?? []) {
        if (text && thought === true) answer.addReasoning(text);
        else if (text) answer.addText(text);
        if (!functionCall) continue;
        const call = answer.startCall(functionCall.name, functionCall.id, thoughtSignature ?? undefined);
        if (!call) continue;
        hasCalled = true;
        const { args = {} } = functionCall;
        answer.addArguments(call, typeof args === 'string' ? args : { value: args ?? {} });
      }
      if (!candidate?.finishReason) return;
      const finish = FINISHES[candidate.finishReason] ?? 'other';
      // The vendor has no reason of its own for an answer that ends in a call.
      answer.finish = finish === 'stop' && hasCalled ? 'tool-calls' : finish;
    };
    // Without `alt=sse`, which some proxies drop, the answer is one list of all chunks.
    return (data) => {
      const list = data.startsWith('[') ? parseJson(data) : null;
      if (!Array.isArray(list)) return read(data);
      answer.isWhole = true;
      for (const one of list) read(JSON.stringify(one));
    };
  },
};

const sum = (one: number | null, other: number | null): number | null =>
  one === null && other === null ? null : (one ?? 0) + (other ?? 0);

function toContent(message: ModelMessage, requiresSignatures: boolean): { role: string; parts: object[] } {
  if (message.role === 'user') return { role: 'user', parts: [{ text: message.content }] };
  if (message.role === 'tool') {
    const parts = message.content.map(({ toolCallId: id, toolName: name, output: { type, value } }) => ({
      functionResponse: { id, name, response: { name, [type === 'error-text' ? 'error' : 'content']: value } },
    }));
    return { role: 'user', parts };
  }
  const all = partsOf(message.content);
  const isSigned = all.some((part) => part.type === 'tool-call' && part.signature !== undefined);
  const parts = all.flatMap((part): object[] => {
    if (part.type === 'reasoning') return [];
    if (part.type === 'text') return [{ text: part.text }];
    const { toolCallId: id, toolName: name, input: args } = part;
    const thoughtSignature = part.signature ?? (requiresSignatures && !isSigned ? NO_SIGNATURE : undefined);
    return [{ functionCall: { id, name, args }, ...(thoughtSignature === undefined ? {} : { thoughtSignature }) }];
  });
  return { role: 'model', parts };
}
