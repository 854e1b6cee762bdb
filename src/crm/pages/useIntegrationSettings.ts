/** Edit the settings of a product's integration: the stored ones, and the draft on the screen. */
import { useState } from 'react';
import { call, ifMatchOf } from '../../ui/api.ts';
import { fieldErrorsOf } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import type { Undo } from '../../ui/pageContext.ts';
import { keyOf, queryClient } from '../../ui/query.ts';
import { type Draft, nullIfNotFound, settingUndo, useViewRef, viewRefsById } from '../../ui/undo.ts';
import { useDraft } from '../../ui/useDraft.tsx';
import { useSaving } from '../../ui/useSaving.ts';
import { readIntegrationState } from '../amocrmContract.ts';
import { type IntegrationConfig, type ProductIntegration, productIntegrations } from '../contract.ts';
import {
  type Directory,
  describeIntegration,
  draftFromStored,
  type Faults,
  INTEGRATION_DRAFT,
  type IntegrationDraft,
  type PipelineOnPage,
  readPipeline,
  requiredFaults,
  toConfig,
  withKey,
} from './integrationDraft.ts';

interface IntegrationKey {
  readonly product_id: number;
  readonly crm_integration_id: number;
}

interface IntegrationTarget {
  readonly productId: number;
  readonly integrationId: number;
  /** Name of the integration. */
  readonly name: string;
  /** Names of pipelines and steps, if they are known. */
  readonly directory: Directory | undefined;
}

interface EditorView extends Draft<IntegrationConfig> {
  readonly setStored: (now: ProductIntegration | null) => void;
}
const viewOf = viewRefsById<EditorView>();

const readStored = (params: IntegrationKey): Promise<ProductIntegration | null> =>
  nullIfNotFound(call(productIntegrations.get, { params }));

/** Replace whatever is stored with the given settings; null removes them. */
async function writeConfig(
  params: IntegrationKey,
  config: IntegrationConfig | null,
): Promise<ProductIntegration | null> {
  const stored = await readStored(params);
  if (config === null) {
    if (stored !== null) await call(productIntegrations.remove, { params });
    return null;
  }
  const body = { ...params, config };
  return stored === null
    ? call(productIntegrations.create, { body })
    : call(productIntegrations.replace, { params, body, ifMatch: ifMatchOf(stored) });
}

const invalidateQueries = () => {
  for (const endpoint of [productIntegrations.list, readIntegrationState])
    void queryClient.invalidateQueries({ queryKey: keyOf(endpoint) });
};

/** Create the undo of a save that changed `before` to `saved`. */
export function integrationUndo(
  params: IntegrationKey,
  before: IntegrationConfig | null,
  saved: IntegrationConfig,
): Undo {
  const view = viewOf(params.crm_integration_id);
  // As the server returns it: names are stored without surrounding blanks.
  const savedConfig = productIntegrations.create.body.parse({ ...params, config: saved }).config;
  return settingUndo(view, savedConfig, {
    after: savedConfig,
    read: async () => (await readStored(params))?.config ?? null,
    restore: async () => {
      const now = await writeConfig(params, before);
      if (view.current === null) invalidateQueries();
      else view.current.setStored(now);
    },
  });
}

const draftFromIntegration = (integration: ProductIntegration | null): IntegrationDraft =>
  draftFromStored(integration?.config ?? null);

/** Return the faults of a refused save by field; none if it failed for another reason. */
const faultsOf = (failed: unknown): Faults =>
  Object.fromEntries(
    fieldErrorsOf(failed).map(({ loc, msg }) => [loc.filter((step) => step !== 'body').join('.'), msg]),
  );

export function useIntegrationSettings(target: IntegrationTarget, loaded: ProductIntegration | null) {
  const { productId, integrationId, directory } = target;
  const params = { product_id: productId, crm_integration_id: integrationId };
  const { saving, error, clearError, run } = useSaving({
    saved: t('Integration settings saved successfully!'),
    failed: t('Failed to save integration settings. Please try again.'),
  });
  /** Faults found by the server or the contract, kept until the page changes. */
  const [refused, setRefused] = useState<Faults>({});
  const clearFaults = () => {
    clearError();
    setRefused({});
  };
  const edited = useDraft({
    draftKey: `product_integration/${productId}/${integrationId}`,
    what: t('Integration Settings of {{name}}', { name: target.name }),
    loaded,
    draftOf: draftFromIntegration,
    codec: INTEGRATION_DRAFT,
    shared: {
      reload: () => readStored(params),
      describe: (draft) => describeIntegration(draft, directory),
    },
    onStored: () => {
      clearFaults();
      invalidateQueries();
    },
  });
  const { stored, draft, changed, setDraft, setStored } = edited;
  const missing = requiredFaults(draft);
  const edit: Edit = (next) => {
    setRefused({});
    setDraft((previous) => ({ ...previous, ...next(previous) }));
  };

  /** Store the draft. Resolves to whether that succeeded. */
  const store = (): Promise<boolean> =>
    run(
      () => {
        const body = productIntegrations.create.body.parse({ ...params, config: toConfig(draft) });
        return edited.save((ifMatch) =>
          stored === null
            ? call(productIntegrations.create, { body })
            : call(productIntegrations.replace, { params, body, ifMatch }),
        );
      },
      (failed) => {
        const found = faultsOf(failed);
        setRefused(found);
        return Object.keys(found).length > 0;
      },
    );

  const view = viewOf(integrationId);
  useViewRef(view, { value: toConfig(draft), set: (config) => edit(() => draftFromStored(config)), setStored });
  return {
    stored,
    draft,
    view,
    undo: (before: IntegrationConfig | null, saved: IntegrationConfig) => integrationUndo(params, before, saved),
    changed,
    /** Faults of empty required fields; `faults` adds those found on saving. */
    missing,
    faults: { ...refused, ...missing },
    saving,
    error,
    guard: edited.guard,
    notice: edited.notice,
    edit,
    store,
    ...pipelineEdits(edit),
    /** Return to the stored settings, or to the defaults. */
    restore: () => {
      edited.restore();
      clearFaults();
    },
    remove: () => call(productIntegrations.remove, { params }),
    onRemoved: () => setStored(null),
  };
}

type Edit = (next: (previous: IntegrationDraft) => Partial<IntegrationDraft>) => void;

function pipelineEdits(edit: Edit) {
  return {
    change: (key: number, next: (previous: PipelineOnPage) => PipelineOnPage) =>
      edit(({ pipelines }) => ({ pipelines: pipelines.map((one) => (one.key === key ? next(one) : one)) })),
    /** Add a card at the end and return its key, or the reasons if the input is not a pipeline. */
    add: (input: unknown = {}): { key: number } | { reasons: string[] } => {
      const read = readPipeline(input);
      if ('reasons' in read) return read;
      const added = withKey(read.pipeline);
      edit(({ pipelines }) => ({ pipelines: [...pipelines, added] }));
      return { key: added.key };
    },
    removePipeline: (key: number) =>
      edit(({ pipelines }) => ({ pipelines: pipelines.filter((one) => one.key !== key) })),
  };
}

export type IntegrationSettings = ReturnType<typeof useIntegrationSettings>;
