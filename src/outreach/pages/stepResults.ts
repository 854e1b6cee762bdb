/** What the follow-ups of a product have achieved, by step. */
import { useMemo } from 'react';
import { readOutcomesByStep, type StepOutcome } from '../../outcomes/outcomeContract.ts';
import { useFirstResultDay } from '../../outcomes/pages/shared/results.ts';
import { ALWAYS_REFETCH, useEndpoint, useLogError } from '../../ui/query.ts';
import type { StepDraft } from '../sequence.ts';

/**
 * Read what the steps have achieved in the last 90 days, by number. Empty while it loads: the page does without. Read each
 * time the page opens, as the lists are to which its numbers lead: counts that were kept for a moment said another number.
 */
export function useStepResults(productId: number): ReadonlyMap<number, StepOutcome> {
  const read = useEndpoint(
    readOutcomesByStep,
    { query: { product_id: productId, started_from: useFirstResultDay() } },
    ALWAYS_REFETCH,
  );
  useLogError(read.error, 'Step results');
  return useMemo(() => new Map(read.data?.items.map((item) => [item.value, item])), [read.data]);
}

type Text = Pick<StepDraft, 'prompt_id' | 'prepared_message_id'>;

/** Return whether a step is the same text as the one that is stored at its place. */
export const hasSameText = (step: Text, stored: Text | undefined): boolean =>
  stored !== undefined &&
  stored.prompt_id === step.prompt_id &&
  stored.prepared_message_id === step.prepared_message_id;
