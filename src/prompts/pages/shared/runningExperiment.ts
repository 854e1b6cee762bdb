/** The experiment that runs on a prompt: who changes what is live meanwhile is asked first. */
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { type Experiment, experiments } from '../../../outcomes/experimentContract.ts';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { keyOf } from '../../../ui/query.ts';
import type { Prompt, PromptUse } from '../../contract.ts';
import { consequenceOfPublishing } from './promptUses.tsx';

const runningOf = (productId: number) => ({
  queryKey: [...keyOf(experiments.list), 'running', productId],
  queryFn: () =>
    call(experiments.list, { query: { product_id: [productId], state: ['running'], kind: ['prompt'], limit: 1 } }),
  staleTime: 0,
});

/** Return what is asked before another version of the prompt goes live; null without an experiment on it. */
function questionOf([experiment]: readonly Experiment[], prompt: Pick<Prompt, 'type' | 'group_id'>): string | null {
  // An experiment with prompts is about the product's chatbot prompt.
  if (experiment === undefined || prompt.type !== 'prompt' || prompt.group_id !== null) return null;
  return t('The experiment “{{name}}” is running. Its leads keep the texts of its arms, all others get this one.', {
    name: experiment.name,
  });
}

export async function readExperimentQuestion(
  cache: QueryClient,
  productId: number,
  prompt: Pick<Prompt, 'type' | 'group_id'>,
): Promise<string | null> {
  return questionOf((await cache.fetchQuery(runningOf(productId))).items, prompt);
}

/** Return what happens when a version of the prompt goes live, beside that leads get it; null if nothing does. */
export function usePublishConsequence(
  uses: readonly PromptUse[] | undefined,
  prompt: Prompt | null,
): { readonly consequence: string | null; readonly isExperimentRunning: boolean } {
  const { data } = useQuery({ ...runningOf(prompt?.product_id ?? 0), enabled: prompt !== null });
  if (prompt === null) return { consequence: null, isExperimentRunning: false };
  const experiment = questionOf(data?.items ?? [], prompt);
  const parts = [consequenceOfPublishing(uses ?? [], prompt), experiment].filter((one) => one !== null);
  return { consequence: parts.join(' ') || null, isExperimentRunning: experiment !== null };
}
