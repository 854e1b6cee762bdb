/** A model's judgement of a conversation: an answer of the wanted shape after at most one repair, or a reason. */
import type { Ground } from '../platform/ground.ts';
import { renderPrompt, TemplateError, type TemplateValues } from '../prompts/prompt.ts';
import { type Said } from './compose.ts';
import { type Speaking, speak } from './speak.ts';
import { conversationText, judgingText, type Question, readAnswer, repairText } from './verdict.ts';

export interface Judging {
  readonly product: Speaking['product'];
  readonly dialogueId: number;
  readonly turn: number;
  /** Without id and version: one of ours. */
  readonly prompt: { readonly id?: number; readonly name: string; readonly version?: number; readonly text: string };
  readonly values: TemplateValues;
  readonly said: readonly Said[];
}

export type Judged<T> =
  | { readonly kind: 'judged'; readonly value: T }
  /** `lasting`: another try will not help until somebody changes something. `paused`: no money today. */
  | { readonly kind: 'failed'; readonly reason: string; readonly lasting: boolean; readonly paused: boolean };

/** Asks a question about a conversation. Each call of the model is a run of the dialogue. */
export async function judge<T>(ground: Ground, judging: Judging, question: Question<T>): Promise<Judged<T>> {
  const { product, prompt, values } = judging;
  let system: string;
  try {
    system = judgingText(await renderPrompt(ground, product, prompt.text, values), values, question);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const reason = `The prompt ${prompt.name} cannot be rendered: ${error.message.slice(0, 300)}`;
    return { kind: 'failed', reason, lasting: true, paused: false };
  }
  const ask = async (messages: Speaking['messages'], repair: boolean) => {
    const { completion } = await speak(ground, {
      product,
      purpose: 'classification',
      name: prompt.name,
      metadata: {
        ...(prompt.id === undefined ? {} : { prompt_id: prompt.id, prompt_version: prompt.version }),
        turn: judging.turn,
        ...(repair ? { repair } : {}),
      },
      system,
      messages,
      vendor: null,
      model: null,
      temperature: null,
      dialogueId: judging.dialogueId,
      unusable: (answer) => faultOf(readAnswer(question, answer)),
    });
    return completion;
  };
  const asked = { role: 'user', content: conversationText(judging.said) } as const;
  const first = await ask([asked], false);
  if (first.kind === 'failed') return failed(first);
  const read = readAnswer(question, first.text);
  if (read.ok) return { kind: 'judged', value: read.value };
  const second = await ask(
    [
      asked,
      // A vendor refuses an empty turn.
      { role: 'assistant', content: first.text.slice(0, 10_000).trim() || '(nothing)' },
      { role: 'user', content: repairText(question, read.fault) },
    ],
    true,
  );
  if (second.kind === 'failed') return failed(second);
  const mended = readAnswer(question, second.text);
  if (mended.ok) return { kind: 'judged', value: mended.value };
  // The same question would most likely get the same answer, and costs as much.
  const reason = `The answer to ${prompt.name} cannot be used: ${mended.fault}`;
  return { kind: 'failed', reason, lasting: true, paused: false };
}

const faultOf = (read: { readonly ok: true } | { readonly ok: false; readonly fault: string }): string | null =>
  read.ok ? null : read.fault;

function failed(completion: { readonly reason: string; readonly lasting: boolean; readonly paused?: boolean }) {
  const { reason, lasting, paused } = completion;
  return { kind: 'failed', reason, lasting, paused: paused ?? false } as const;
}
