/** The texts a step can use: the product's prepared messages and prompts of type ping, and its document types. */
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { documentPrompts, type Prompt, preparedMessages, prompts } from '../../prompts/contract.ts';
import { promptLabel, type SavedPrompt } from '../../prompts/pages/shared/liveState.tsx';
import { useAllRows } from '../../ui/fetchAllRows.ts';
import { t } from '../../ui/i18n.ts';
import { type OptionSource, optionSource } from '../../ui/optionSource.ts';
import { toast } from '../../ui/toast.ts';
import type { StepDraft, StepSource } from '../sequence.ts';

export interface StepText {
  readonly id: number;
  readonly name: string;
  readonly text: string;
  /** What is live of a prompt may be another text. */
  readonly prompt?: SavedPrompt;
}

interface TextOptions {
  /** Undefined while loading. */
  readonly rows: readonly StepText[] | undefined;
  readonly failed: boolean;
  readonly retry: () => void;
}

export interface StepTexts extends Readonly<Record<StepSource, TextOptions>> {
  readonly documentTypes: readonly string[];
}

/** Where to look up the text of a step by its id. */
export const stepTextSources: Readonly<Record<StepSource, OptionSource>> = {
  prepared_message: optionSource({ resource: preparedMessages, labelOf: (one) => one.name }),
  prompt: optionSource({ resource: prompts, labelOf: promptLabel }),
};

export function useStepTexts(productId: number): StepTexts {
  const filter = { product_id: [productId] };
  const preparedQuery = useAllRows(preparedMessages, { ...filter, type: ['ping'] });
  const promptsQuery = useAllRows(prompts, { ...filter, type: ['ping'] });
  const documentsQuery = useAllRows(documentPrompts, filter);
  useErrorToast(preparedQuery.isError, t('Failed to load prepared messages'));
  useErrorToast(promptsQuery.isError, t('Failed to load prompts for product'));
  const message = useTextOptions(preparedQuery, fromMessage);
  const prompt = useTextOptions(promptsQuery, fromPrompt);
  const documentTypes = useMemo(
    () => [...new Set(documentsQuery.data?.map((one) => one.document_type))].sort(),
    [documentsQuery.data],
  );
  return useMemo(() => ({ prepared_message: message, prompt, documentTypes }), [message, prompt, documentTypes]);
}

const fromMessage = ({ id, name, message }: { id: number; name: string; message: string }): StepText => ({
  id,
  name,
  text: message,
});
const fromPrompt = (prompt: Prompt): StepText => ({
  id: prompt.id,
  name: promptLabel(prompt),
  text: prompt.text,
  prompt,
});

/** Return the id of the step's chosen source. */
export function selectedTextId(step: Pick<StepDraft, 'source' | 'prepared_message_id' | 'prompt_id'>): number | null {
  return step.source === 'prompt' ? step.prompt_id : step.prepared_message_id;
}

/** Find the text of a step; null if none is chosen, or it is not known. */
export function findStepText(texts: StepTexts, step: StepDraft): StepText | null {
  const id = selectedTextId(step);
  return texts[step.source].rows?.find((one) => one.id === id) ?? null;
}

function useTextOptions<T>({ data, isError, refetch }: UseQueryResult<T[]>, toText: (row: T) => StepText): TextOptions {
  return useMemo(
    () => ({
      rows: data?.map(toText).sort((a, b) => a.name.localeCompare(b.name)),
      failed: isError,
      retry: () => void refetch(),
    }),
    [data, isError, refetch, toText],
  );
}

function useErrorToast(failed: boolean, sentence: string): void {
  useEffect(() => {
    if (failed) toast.error(sentence);
  }, [failed, sentence]);
}
