/** The settings of a product's integration while they are edited: what is stored, what is on the screen. */
import { useState } from 'react';
import { call, tagOf } from '../../kit/api.ts';
import { Conflict, useEdited } from '../../kit/edited.tsx';
import { fieldErrorsOf } from '../../kit/form.ts';
import type { Undo } from '../../kit/pageContext.ts';
import { keyOf, queryClient } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { type Draft, settingUndo, unlessGone, useInView, viewsById } from '../../kit/undo.ts';
import { readIntegrationState } from '../amocrmContract.ts';
import { type IntegrationConfig, type ProductIntegration, productIntegrations } from '../contract.ts';
import {
  configOf,
  type Directory,
  describeIntegration,
  draftOf,
  type Faults,
  INTEGRATION_DRAFT,
  type IntegrationDraft,
  missingIn,
  onPage,
  type PipelineOnPage,
  readPipeline,
} from './integrationDraft.ts';

interface WireOf {
  readonly product_id: number;
  readonly crm_integration_id: number;
}

interface Pair {
  readonly productId: number;
  readonly integrationId: number;
  /** The integration's name. */
  readonly name: string;
  /** Names of pipelines and steps, where they are known. */
  readonly directory: Directory | undefined;
}

interface InPage extends Draft<IntegrationConfig> {
  readonly took: (now: ProductIntegration | null) => void;
}
const viewOf = viewsById<InPage>();

const readStored = (params: WireOf): Promise<ProductIntegration | null> =>
  unlessGone(call(productIntegrations.get, { params }));

/** Puts settings in the place of whatever is stored; null: none. */
async function write(params: WireOf, config: IntegrationConfig | null): Promise<ProductIntegration | null> {
  const stored = await readStored(params);
  if (config === null) {
    if (stored !== null) await call(productIntegrations.remove, { params });
    return null;
  }
  const body = { ...params, config };
  return stored === null
    ? call(productIntegrations.create, { body })
    : call(productIntegrations.replace, { params, body, ifMatch: tagOf(stored) });
}

const readAgain = () => {
  for (const endpoint of [productIntegrations.list, readIntegrationState])
    void queryClient.invalidateQueries({ queryKey: keyOf(endpoint) });
};

/** Undo of what was stored: `before` was, `saved` is. */
export function integrationUndo(params: WireOf, before: IntegrationConfig | null, saved: IntegrationConfig): Undo {
  const view = viewOf(params.crm_integration_id);
  // As it comes back: names are stored without blanks around them.
  const left = productIntegrations.create.body.parse({ ...params, config: saved }).config;
  return settingUndo(view, left, {
    left,
    read: async () => (await readStored(params))?.config ?? null,
    putBack: async () => {
      const now = await write(params, before);
      if (view.now === null) readAgain();
      else view.now.took(now);
    },
  });
}

const draftOfPair = (pair: ProductIntegration | null): IntegrationDraft => draftOf(pair?.config ?? null);

export function useIntegrationSettings(pair: Pair, found: ProductIntegration | null) {
  const { productId, integrationId, directory } = pair;
  const params = { product_id: productId, crm_integration_id: integrationId };
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  /** What the server, or the contract, would not take; until the page changes. */
  const [refused, setRefused] = useState<Faults>({});
  const edited = useEdited({
    place: `product_integration/${productId}/${integrationId}`,
    what: t('Integration Settings of {{name}}', { name: pair.name }),
    found,
    draftOf: draftOfPair,
    form: INTEGRATION_DRAFT,
    shared: {
      reread: () => readStored(params),
      describe: (draft) => describeIntegration(draft, directory),
    },
    onStored: () => {
      setError(null);
      setRefused({});
      readAgain();
    },
  });
  const { stored, draft, changed, setDraft, took } = edited;
  const missing = missingIn(draft);
  const edit = (next: (former: IntegrationDraft) => Partial<IntegrationDraft>) => {
    setRefused({});
    setDraft((former) => ({ ...former, ...next(former) }));
  };

  /** Stores what stands on the page; whether that worked. */
  const store = async (): Promise<boolean> => {
    setSaving(true);
    try {
      const body = productIntegrations.create.body.parse({ ...params, config: configOf(draft) });
      await edited.save((ifMatch) =>
        stored === null
          ? call(productIntegrations.create, { body })
          : call(productIntegrations.replace, { params, body, ifMatch }),
      );
      toast.success(t('Integration settings saved successfully!'));
      return true;
    } catch (failed) {
      if (failed instanceof Conflict) return false;
      const places = fieldErrorsOf(failed);
      setRefused(
        Object.fromEntries(places.map(({ loc, msg }) => [loc.filter((step) => step !== 'body').join('.'), msg])),
      );
      setError(places.length > 0 ? null : failed instanceof Error ? failed : new Error(String(failed)));
      toast.error(t('Failed to save integration settings. Please try again.'));
      return false;
    } finally {
      setSaving(false);
    }
  };

  const view = viewOf(integrationId);
  useInView(view, { value: configOf(draft), put: (config) => edit(() => draftOf(config)), took });
  const undo = (before: IntegrationConfig | null, saved: IntegrationConfig) => integrationUndo(params, before, saved);

  return {
    stored,
    draft,
    view,
    undo,
    changed,
    /** What has to be there before it can be sent, and what was not taken when it was. */
    missing,
    faults: { ...refused, ...missing },
    saving,
    error,
    guard: edited.guard,
    notice: edited.notice,
    edit,
    store,
    change: (key: number, next: (former: PipelineOnPage) => PipelineOnPage) =>
      edit(({ pipelines }) => ({ pipelines: pipelines.map((one) => (one.key === key ? next(one) : one)) })),
    /** Adds a card at the end, and gives its key; null with the reasons where what was given is no pipeline. */
    add: (given: unknown = {}): { key: number } | { reasons: string[] } => {
      const read = readPipeline(given);
      if ('reasons' in read) return read;
      const added = onPage(read.pipeline);
      edit(({ pipelines }) => ({ pipelines: [...pipelines, added] }));
      return { key: added.key };
    },
    take: (key: number) => edit(({ pipelines }) => ({ pipelines: pipelines.filter((one) => one.key !== key) })),
    /** Back to what is stored, or to the defaults. */
    restore: () => {
      edited.restore();
      setError(null);
      setRefused({});
    },
    /** The product does not use the integration any more. */
    remove: () => call(productIntegrations.remove, { params }),
    removed: () => took(null),
  };
}
export type IntegrationSettings = ReturnType<typeof useIntegrationSettings>;
