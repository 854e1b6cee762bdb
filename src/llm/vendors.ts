/** The differences between vendors of language models: addresses, lists of models, temperatures. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModel } from 'ai';
import { z } from 'zod';
import type { LlmVendor } from '../products/contract.ts';

export interface ModelAccess {
  readonly apiKey: string;
  /** Without a trailing slash: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** The app's only way to make outbound requests. */
  readonly fetch: typeof globalThis.fetch;
}

interface Vendor {
  model(access: ModelAccess, name: string): LanguageModel;
  /** Build the request that lists the vendor's models. */
  listRequest(access: ModelAccess): { url: string; headers: Record<string, string> };
  /** Extract the names of the chat models from the answer to that request. */
  parseNames(answer: unknown): string[];
  readonly highestTemperature: number;
  /** Whether a model accepts no temperature. */
  fixesTemperature(name: string): boolean;
}

const openaiList = z.object({ data: z.array(z.object({ id: z.string() })) });
const geminiList = z.object({
  models: z.array(z.object({ name: z.string(), supportedGenerationMethods: z.array(z.string()).default([]) })),
});

/** OpenAI lists all its models; these cannot hold a conversation. */
const NON_CHAT_MODELS =
  /embedding|whisper|tts|dall-e|image|moderation|realtime|audio|transcribe|babbage|davinci|instruct|search|codex|sora/i;
/** Reasoning models accept only their default temperature (OpenAI API reference, `temperature`). */
const REASONING = /^(o\d|gpt-5)/;

export const vendors: Readonly<Record<LlmVendor, Vendor>> = {
  chatgpt: {
    model: ({ apiKey, baseUrl, fetch }, name) => createOpenAI({ apiKey, baseURL: baseUrl, fetch }).chat(name),
    listRequest: ({ apiKey, baseUrl }) => ({
      url: `${baseUrl}/models`,
      headers: { authorization: `Bearer ${apiKey}` },
    }),
    parseNames: (answer) =>
      openaiList
        .parse(answer)
        .data.map((one) => one.id)
        .filter((id) => !NON_CHAT_MODELS.test(id)),
    highestTemperature: 2,
    fixesTemperature: (name) => REASONING.test(name),
  },
  gemini: {
    model: ({ apiKey, baseUrl, fetch }, name) => createGoogleGenerativeAI({ apiKey, baseURL: baseUrl, fetch })(name),
    listRequest: ({ apiKey, baseUrl }) => ({
      url: `${baseUrl}/models?pageSize=200`,
      headers: { 'x-goog-api-key': apiKey },
    }),
    parseNames: (answer) =>
      geminiList
        .parse(answer)
        .models.filter((one) => one.supportedGenerationMethods.includes('generateContent'))
        .map((one) => one.name.replace(/^models\//, '')),
    highestTemperature: 2,
    fixesTemperature: () => false,
  },
  anthropic: {
    model: ({ apiKey, baseUrl, fetch }, name) => createAnthropic({ apiKey, baseURL: baseUrl, fetch })(name),
    listRequest: ({ apiKey, baseUrl }) => ({
      url: `${baseUrl}/models?limit=200`,
      headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
    }),
    parseNames: (answer) => openaiList.parse(answer).data.map((one) => one.id),
    // Messages API reference, `temperature`: from 0 to 1; removed in version 2026-10-21, which we do not request.
    highestTemperature: 1,
    fixesTemperature: () => false,
  },
};

/** Return the temperature to send, and a note if it differs from the requested one. */
export function temperatureFor(
  vendor: LlmVendor,
  model: string,
  requested: number,
): { value: number | null; note: string | null } {
  const { highestTemperature } = vendors[vendor];
  if (vendors[vendor].fixesTemperature(model))
    return { value: null, note: `${requested} left out: ${model} takes its own` };
  if (requested > highestTemperature) return { value: highestTemperature, note: `${requested} lowered to the highest` };
  return { value: requested, note: null };
}
