/** What a step can say: the product's prepared messages and prompts of pings, and the types of documents it has. */
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useEveryRow } from '../../kit/allIds.ts';
import { type Source, sourceOf } from '../../kit/source.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { documentPrompts, preparedMessages, prompts } from '../../prompts/contract.ts';
import type { PingSource, StepDraft } from '../pingSteps.ts';

export interface Said {
  readonly id: number;
  readonly name: string;
  readonly text: string;
}

interface Choice {
  /** Undefined while they are read. */
  readonly rows: readonly Said[] | undefined;
  readonly failed: boolean;
  readonly retry: () => void;
}

export interface Texts extends Readonly<Record<PingSource, Choice>> {
  readonly documentTypes: readonly string[];
}

/** Where the text of a step is found by its id. */
export const sourceOfSteps: Readonly<Record<PingSource, Source>> = {
  prepared_message: sourceOf(preparedMessages, (one) => one.name),
  prompt: sourceOf(prompts, (one) => one.name),
};

export function useTexts(productId: number): Texts {
  const own = { product_id: [productId] };
  const prepared = useEveryRow(preparedMessages, { ...own, type: ['ping'] });
  const written = useEveryRow(prompts, { ...own, type: ['ping'] });
  const documents = useEveryRow(documentPrompts, own);
  useToldOnce(prepared.isError, t('Failed to load prepared messages'));
  useToldOnce(written.isError, t('Failed to load prompts for product'));
  const message = useChoice(prepared, ofMessage);
  const prompt = useChoice(written, ofPrompt);
  const documentTypes = useMemo(
    () => [...new Set(documents.data?.map((one) => one.document_type))].sort(),
    [documents.data],
  );
  return useMemo(() => ({ prepared_message: message, prompt, documentTypes }), [message, prompt, documentTypes]);
}

const ofMessage = ({ id, name, message }: { id: number; name: string; message: string }): Said => ({
  id,
  name,
  text: message,
});
const ofPrompt = ({ id, name, text }: Said): Said => ({ id, name, text });

/** The id that a step has of its source. */
export function chosenId(step: Pick<StepDraft, 'source' | 'prepared_message_id' | 'prompt_id'>): number | null {
  return step.source === 'prompt' ? step.prompt_id : step.prepared_message_id;
}

/** What a step says, by name; null: nothing is chosen, or it is not known. */
export function saidBy(texts: Texts, step: StepDraft): Said | null {
  const id = chosenId(step);
  return texts[step.source].rows?.find((one) => one.id === id) ?? null;
}

function useChoice<T>({ data, isError, refetch }: UseQueryResult<T[]>, said: (row: T) => Said): Choice {
  return useMemo(
    () => ({
      rows: data?.map(said).sort((a, b) => a.name.localeCompare(b.name)),
      failed: isError,
      retry: () => void refetch(),
    }),
    [data, isError, refetch, said],
  );
}

function useToldOnce(failed: boolean, sentence: string): void {
  useEffect(() => {
    if (failed) toast.error(sentence);
  }, [failed, sentence]);
}
