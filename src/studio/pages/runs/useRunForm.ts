/** The form that starts a run: what is tried, on what, with which model and budget. */
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { BodyInput } from '../../../platform/contract.ts';
import type { LlmVendor } from '../../../products/contract.ts';
import { type Prompt, promptsInUse } from '../../../prompts/contract.ts';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { keyOf, useEndpoint } from '../../../ui/query.ts';
import { estimateStudioRun, listStudioRuns, type RunKind, type StudioRun, startStudioRun } from '../../runContract.ts';

/** What the page that opens the form knows already. */
export interface RunPreset {
  readonly kind?: RunKind;
  readonly promptId?: number | null;
  /** An unsaved text to try. */
  readonly text?: string;
  readonly version?: number;
  readonly caseIds?: readonly number[];
  readonly dialogueIds?: readonly number[];
}

export interface RunFields {
  readonly kind: RunKind;
  readonly promptId: number | null;
  readonly model: { readonly vendor: LlmVendor; readonly model: string } | null;
  readonly caseIds: readonly number[];
  readonly dialogueIds: readonly number[];
  readonly personaIds: readonly number[];
  readonly sample: number;
  readonly repeats: number;
  readonly withJudge: boolean;
  /** US dollars; null: as the estimate suggests. */
  readonly budget: number | null;
}

const DELAY_MS = 300;
/** A run may cost more than estimated, by this factor, before its budget stops it. */
const RESERVE = 1.5;
const SMALLEST_BUDGET = 0.1;
/** Suggested where the price of the model is not known. */
const DEFAULT_BUDGET = 1;

const initialFields = (preset: RunPreset): RunFields => ({
  kind: preset.kind ?? 'gate',
  promptId: preset.promptId ?? null,
  model: null,
  caseIds: preset.caseIds ?? [],
  dialogueIds: preset.dialogueIds ?? [],
  personaIds: [],
  sample: 50,
  repeats: 3,
  withJudge: false,
  budget: null,
});

/** Return the kinds of runs that suit a type of prompt. */
export const kindsOf = (type: Prompt['type'] | undefined): readonly RunKind[] =>
  type === 'classification' ? ['gate', 'classification'] : ['gate', 'replay', 'simulation'];

type RunBody = Omit<BodyInput<typeof startStudioRun>, 'budget'>;

function bodyOf(fields: RunFields, { text, version }: RunPreset): RunBody | null {
  const { kind, promptId, model, caseIds, dialogueIds, personaIds, sample, repeats, withJudge } = fields;
  if (promptId === null) return null;
  const chosen = (ids: readonly number[]) => (ids.length > 0 ? [...ids] : undefined);
  return {
    kind,
    prompt_id: promptId,
    ...(text === undefined ? {} : { text }),
    ...(version === undefined ? {} : { version }),
    ...(model === null ? {} : { model }),
    ...(kind === 'gate' ? { case_ids: chosen(caseIds), repeats } : {}),
    ...(kind === 'simulation' ? { persona_ids: chosen(personaIds), repeats } : {}),
    ...(kind === 'replay' || kind === 'classification' ? { dialogue_ids: chosen(dialogueIds), sample } : {}),
    with_judge: withJudge && kind !== 'classification',
  };
}

/** Suggest a budget for an estimate, in whole cents. */
function suggestedBudget(cost: number | null | undefined): number {
  if (cost === null || cost === undefined) return DEFAULT_BUDGET;
  return Math.max(SMALLEST_BUDGET, Math.ceil(cost * RESERVE * 100) / 100);
}

export function useRunForm(
  { productId, preset }: { productId: number; preset: RunPreset },
  onStarted: (run: StudioRun) => void,
) {
  const cache = useQueryClient();
  const [chosen, setFields] = useState(() => initialFields(preset));
  const used = useEndpoint(promptsInUse, { params: { product_id: productId } }).data?.items;
  // Most runs try the prompt that answers leads.
  const answering = used?.find(({ type, use }) => type === 'prompt' && use === 'product')?.prompt_id;
  const fields = { ...chosen, promptId: chosen.promptId ?? answering ?? null };
  const body = bodyOf(fields, preset);
  const [asked] = useDebouncedValue(body === null ? '' : JSON.stringify(body), DELAY_MS);
  const estimate = useQuery({
    queryKey: [...keyOf(estimateStudioRun), asked],
    queryFn: ({ signal }) => call(estimateStudioRun, { body: estimateStudioRun.body.parse(JSON.parse(asked)), signal }),
    enabled: asked !== '',
    retry: false,
  });
  const budget = fields.budget ?? suggestedBudget(estimate.data?.cost);
  const starting = useMutation({
    mutationFn: async () => {
      if (body === null) throw new Error(t('Choose a prompt first.'));
      return call(startStudioRun, { body: { ...body, budget } });
    },
    onSuccess: (run) => {
      void cache.invalidateQueries({ queryKey: keyOf(listStudioRuns) });
      onStarted(run);
    },
  });
  return {
    fields,
    edit: (change: Partial<RunFields>) => setFields((former) => ({ ...former, ...change })),
    budget,
    estimate,
    /** The estimate is of the fields as they are. */
    isEstimated: estimate.isSuccess && body !== null && asked === JSON.stringify(body),
    start: () => starting.mutate(),
    starting: starting.isPending,
    error: starting.error,
  };
}

export type RunForm = ReturnType<typeof useRunForm>;
