/** The wire shapes of the Gemini API: `generateContent` and its stream (API reference, v1beta). */
import { z } from 'zod';
import { type ChatRequest, chatMessages, jsonSchemaSchema } from '../model/request.ts';
import { type Completion, tokensOf } from '../model/respond.ts';
import type { Frame, WireCompletion } from '../model/stream.ts';

const part = z.looseObject({
  text: z.string().optional(),
  functionCall: z.object({ name: z.string(), args: z.record(z.string(), z.unknown()).optional() }).optional(),
  functionResponse: z.object({ name: z.string(), response: z.unknown() }).optional(),
});
type Part = z.infer<typeof part>;
const parts = z.object({ parts: z.array(part) });

/** A declaration's types are written in capitals, or as in JSON Schema. */
const declaration = z.object({
  name: z.string(),
  description: z.string().optional(),
  parameters: z.unknown().optional(),
  parametersJsonSchema: z.unknown().optional(),
});

export const generateRequest = z.object({
  contents: z.array(parts.extend({ role: z.enum(['user', 'model']).optional() })).min(1),
  systemInstruction: parts.optional(),
  generationConfig: z
    .looseObject({ temperature: z.number().min(0).max(2).optional(), maxOutputTokens: z.int().min(1).optional() })
    .optional(),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(declaration).optional() })).optional(),
});
type GenerateRequest = z.infer<typeof generateRequest>;

/** Convert the request for the scripted model. */
export function chatOf(model: string, request: GenerateRequest, stream: boolean): ChatRequest {
  const { contents, systemInstruction, generationConfig: config } = request;
  const system = textsOf(systemInstruction?.parts ?? []);
  const declared = request.tools?.flatMap((one) => one.functionDeclarations ?? []);
  const tools = declared?.map(({ name, description, parameters, parametersJsonSchema }) => {
    const schema = jsonSchemaSchema.catch({}).parse(lowered(parametersJsonSchema ?? parameters ?? {}));
    return { type: 'function' as const, function: { name, description, parameters: schema } };
  });
  const instruction = system === '' ? [] : [{ role: 'system' as const, content: system }];
  const messages = contents.flatMap(({ role = 'user', parts: all }) => toChatMessages(role, all));
  const { temperature, maxOutputTokens: max_tokens } = config ?? {};
  return { model, messages: [...instruction, ...messages], stream, temperature, max_tokens, tools };
}

function toChatMessages(role: 'user' | 'model', all: readonly Part[]): ChatRequest['messages'] {
  return chatMessages({
    role: role === 'model' ? 'assistant' : 'user',
    text: textsOf(all),
    calls: all.flatMap(({ functionCall: call }, index) =>
      call ? [{ id: `${call.name} ${index}`, name: call.name, arguments: JSON.stringify(call.args ?? {}) }] : [],
    ),
    results: all.flatMap(({ functionResponse: result }) =>
      result ? [[result.name, JSON.stringify(result.response)] as const] : [],
    ),
  });
}

const textsOf = (all: readonly Part[]): string => all.flatMap((one) => one.text ?? []).join('\n');

/** Convert all types to small letters. */
const lowered = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === 'type' && typeof value === 'string' ? value.toLowerCase() : value,
  );

const FINISHES = { stop: 'STOP', length: 'MAX_TOKENS', tool_calls: 'STOP' } as const;

/** Convert the completion to this protocol. */
export function wireCompletion(completion: Completion, stream: boolean): WireCompletion {
  const { answer } = completion;
  const called = answer.toolCalls.map(({ name, arguments: args }) => ({
    functionCall: { name, args: JSON.parse(args) },
  }));
  const whole = [...(answer.text === '' ? [] : [{ text: answer.text }]), ...called];
  return {
    frames: stream ? frames(completion, called) : null,
    end: '',
    broken: 'data: {"candidates": [{"content": {"par\r\n\r\n',
    body: body(completion, whole, true),
    headers: { 'x-gemini-service-tier': 'standard' },
  };
}

function body(completion: Completion, contentParts: readonly unknown[], last: boolean): Record<string, unknown> {
  const { usage, model, id, finish } = completion;
  return {
    candidates: [
      {
        content: { ...(contentParts.length > 0 ? { parts: contentParts } : {}), role: 'model' },
        ...(last ? { finishReason: FINISHES[finish] } : {}),
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: usage.prompt,
      ...(last ? { candidatesTokenCount: usage.completion } : {}),
      totalTokenCount: usage.prompt + (last ? usage.completion : 0),
    },
    modelVersion: model,
    responseId: id,
  };
}

/** Build the frames: calls are not split, and the last frame contains the finish reason. */
function frames(completion: Completion, called: readonly unknown[]): Frame[] {
  const frame = (contentParts: readonly unknown[], last: boolean, token: boolean): Frame => ({
    token,
    text: `data: ${JSON.stringify(body(completion, contentParts, last))}\r\n\r\n`,
  });
  const texts = tokensOf(completion.answer.text).map((text) => frame([{ text }], false, true));
  const calls = called.map((call) => frame([call], false, true));
  return [...texts, ...calls, frame([], true, false)];
}
