/** The differences between vendors of language models: addresses, lists of models, temperatures. */
import { z } from 'zod';
import type { LlmVendor } from '../products/contract.ts';
import { ANTHROPIC_VERSION, anthropic } from './wire/anthropic.ts';
import { gemini } from './wire/gemini.ts';
import { isReasoningModel, openai } from './wire/openai.ts';
import type { ModelAccess, Wire } from './wire/wire.ts';

interface Vendor {
  readonly wire: Wire;
  /** Build the request that lists the vendor's models. */
  listRequest(access: Pick<ModelAccess, 'apiKey' | 'baseUrl'>): { url: string; headers: Record<string, string> };
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
/** Newer models of Anthropic accept no temperature, whatever the version of the API (docs/decisions/0033). */
const FIXED_TEMPERATURE = /claude-(?:opus-4-[78]|[a-z]+-[5-9])/;

export const vendors: Readonly<Record<LlmVendor, Vendor>> = {
  chatgpt: {
    wire: openai,
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
    // OpenAI API reference, `temperature`: reasoning models accept only their default.
    fixesTemperature: isReasoningModel,
  },
  gemini: {
    wire: gemini,
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
    wire: anthropic,
    listRequest: ({ apiKey, baseUrl }) => ({
      url: `${baseUrl}/models?limit=200`,
      headers: { 'x-api-key': apiKey, 'anthropic-version': ANTHROPIC_VERSION },
    }),
    parseNames: (answer) => openaiList.parse(answer).data.map((one) => one.id),
    // Messages API reference, `temperature`: from 0 to 1; removed in version 2026-10-21, which we do not request.
    highestTemperature: 1,
    fixesTemperature: (name) => FIXED_TEMPERATURE.test(name),
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
