/** Edit the follow-ups of a product: the stored settings, the draft on the screen, and the conversions between them. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { z } from 'zod';
import { call, ifMatchOf } from '../../ui/api.ts';
import type { DocumentField } from '../../ui/documentField.ts';
import { t } from '../../ui/i18n.ts';
import type { Undo } from '../../ui/pageContext.ts';
import { keyOf, queryClient, setCachedAnswer } from '../../ui/query.ts';
import { type Draft, nullIfNotFound, settingUndo, useViewRef, viewRefsById } from '../../ui/undo.ts';
import { type DraftCodec, useDraft } from '../../ui/useDraft.tsx';
import { useSaving } from '../../ui/useSaving.ts';
import { type PingConfig, pingConfigOfProduct, pingConfigs } from '../contract.ts';
import { NEW_STEP, numberSteps, removeStep, type StepDraft, stepFaults, toStepDraft } from '../sequence.ts';
import { stepTextSources } from './stepTexts.ts';

export interface StepOnPage extends StepDraft {
  /** Identifies the step while its position changes. */
  readonly key: number;
}

/** A change of a step. It receives the latest step, so that two concurrent changes both apply. */
export type StepChange = (previous: StepOnPage) => StepOnPage;

export interface PingDraft {
  readonly is_enabled: boolean;
  readonly use_on_no_init_msg_reply: boolean;
  readonly steps: readonly StepOnPage[];
}

export type PingState = 'creating' | 'changed' | 'saved';

let keys = 0;
export function withKey(step: StepDraft): StepOnPage {
  keys += 1;
  return { ...step, key: keys };
}

export const draftFromStored = (stored: PingConfig | null): PingDraft | null =>
  stored && {
    is_enabled: stored.is_enabled,
    use_on_no_init_msg_reply: stored.config.use_on_no_init_msg_reply,
    steps: stored.config.steps.map((step) => withKey(toStepDraft(step))),
  };

/** New follow-ups with one step. */
const newDraft = (step: StepDraft): PingDraft => {
  return { is_enabled: true, use_on_no_init_msg_reply: true, steps: [withKey(step)] };
};

/** Convert the settings to the body of a request; a draft may still have faults. */
export function toRequestBody({ is_enabled, use_on_no_init_msg_reply, steps }: PlainPings) {
  const plain = numberSteps(steps).map(({ document_type, ...step }) => ({
    ...step,
    document_type: document_type?.trim() || null,
  }));
  return { is_enabled, config: { steps: plain, use_on_no_init_msg_reply } };
}

/** The draft without the keys that identify its steps. */
export interface PlainPings extends Omit<PingDraft, 'steps'> {
  readonly steps: readonly StepDraft[];
}
export const toPlain = (draft: PingDraft | null): PlainPings | null =>
  draft && { ...draft, steps: draft.steps.map(({ key: _key, ...step }) => step) };
export const toDraft = (plain: PlainPings | null): PingDraft | null =>
  plain && { ...plain, steps: plain.steps.map(withKey) };

const step = z.object({
  source: z.enum(['prepared_message', 'prompt']),
  after_minutes: z.number().nullable(),
  prepared_message_id: z.number().nullable(),
  prompt_id: z.number().nullable(),
  document_type: z.string().nullable(),
});
const DRAFT: DraftCodec<PingDraft | null, PlainPings | null> = {
  schema: z.object({ is_enabled: z.boolean(), use_on_no_init_msg_reply: z.boolean(), steps: z.array(step) }).nullable(),
  serialize: toPlain,
  deserialize: toDraft,
};

/** List the fields of the follow-ups, named as on the page. */
function describeFields(draft: PingDraft | null): DocumentField[] {
  if (draft === null) return [];
  const onOff = (isOn: boolean) => (isOn ? t('On') : t('Off'));
  return [
    { label: t('Pings enabled'), value: onOff(draft.is_enabled) },
    {
      label: t('Follow up leads who never replied'),
      value: onOff(draft.use_on_no_init_msg_reply),
    },
    ...draft.steps.flatMap((one, index) => {
      const label = (field: string) => t('Step {{number}} · {{field}}', { number: index + 1, field });
      const { source, after_minutes: minutes, document_type: type } = one;
      return [
        { label: label(t('After minutes')), value: String(minutes ?? '') },
        {
          label: label(source === 'prompt' ? t('AI prompt') : t('Prepared message')),
          value: String((source === 'prompt' ? one.prompt_id : one.prepared_message_id) ?? ''),
          source: stepTextSources[source],
        },
        { label: label(t('Document type')), value: type ?? '' },
      ];
    }),
  ];
}

interface EditorView extends Draft<PlainPings | null> {
  readonly setStored: (now: PingConfig | null) => void;
}
const viewOf = viewRefsById<EditorView>();

const readStored = (productId: number): Promise<PingConfig | null> =>
  nullIfNotFound(call(pingConfigOfProduct, { params: { product_id: productId } }));

/** Replace whatever is stored with the given follow-ups; null removes them. */
async function writeConfig(productId: number, config: PlainPings | null): Promise<PingConfig | null> {
  const stored = await readStored(productId);
  if (config === null) {
    if (stored !== null) await call(pingConfigs.remove, { params: { id: stored.id } });
    return null;
  }
  const body = pingConfigs.create.body.parse({ product_id: productId, ...toRequestBody(config) });
  return stored === null
    ? call(pingConfigs.create, { body })
    : call(pingConfigs.replace, { params: { id: stored.id }, body, ifMatch: ifMatchOf(stored) });
}

/** Create the undo of a save that changed `before` to `saved`. */
export function pingUndo(productId: number, before: PlainPings | null, saved: PlainPings): Undo {
  const view = viewOf(productId);
  // As the server returns it: a document's type is stored without surrounding blanks.
  const savedConfig = { ...saved, steps: toRequestBody(saved).config.steps.map(toStepDraft) };
  return settingUndo<PlainPings | null, PlainPings | null>(view, savedConfig, {
    after: savedConfig,
    read: async () => toPlain(draftFromStored(await readStored(productId))),
    restore: async () => {
      const now = await writeConfig(productId, before);
      setCachedAnswer(queryClient, keyOf(pingConfigOfProduct, { params: { product_id: productId } }), now);
      view.current?.setStored(now);
    },
  });
}

export function usePings(productId: number, loaded: PingConfig | null) {
  const cache = useQueryClient();
  const { saving, error, clearError, run } = useSaving({
    saved: t('Ping configuration saved successfully!'),
    failed: t('Failed to save ping configuration. Please try again.'),
  });
  const edited = useDraft({
    draftKey: `pings/${productId}`,
    what: t('Ping Settings'),
    loaded,
    draftOf: draftFromStored,
    codec: DRAFT,
    shared: { reload: () => readStored(productId), describe: describeFields },
    onStored: (now) => {
      clearError();
      setCachedAnswer(cache, keyOf(pingConfigOfProduct, { params: { product_id: productId } }), now);
    },
  });
  const { stored, draft, changed, setDraft, setStored } = edited;
  const edit = useCallback(
    (next: (previous: PingDraft) => Partial<PingDraft>) =>
      setDraft((previous) => previous && { ...previous, ...next(previous) }),
    [setDraft],
  );
  const change = useCallback(
    (key: number, next: StepChange) =>
      edit(({ steps }) => ({ steps: steps.map((previous) => (previous.key === key ? next(previous) : previous)) })),
    [edit],
  );

  /** Store a draft without faults. Resolves to whether that succeeded. */
  const store = (next: PingDraft): Promise<boolean> =>
    run(() => {
      const body = pingConfigs.create.body.parse({ product_id: productId, ...toRequestBody(next) });
      return edited.save((ifMatch) =>
        stored === null
          ? call(pingConfigs.create, { body })
          : call(pingConfigs.replace, { params: { id: stored.id }, body, ifMatch }),
      );
    });

  const view = viewOf(productId);
  useViewRef(view, { value: toPlain(draft), set: (next) => setDraft(toDraft(next)), setStored });
  const undo = (before: PlainPings | null, saved: PlainPings) => pingUndo(productId, before, saved);

  const state: PingState = stored === null ? 'creating' : changed ? 'changed' : 'saved';
  return {
    stored,
    draft,
    state,
    changed,
    faults: draft === null ? [] : stepFaults(draft.steps),
    saving,
    error,
    startDraft: (step: StepDraft = NEW_STEP) => setDraft(newDraft(step)),
    edit,
    /** Add a step at the end and return its key. */
    add: (step: StepDraft = NEW_STEP): number => {
      const added = withKey(step);
      edit(({ steps }) => ({ steps: [...steps, added] }));
      return added.key;
    },
    change,
    deleteStep: (index: number) => edit(({ steps }) => ({ steps: removeStep(steps, index) })),
    store,
    view,
    undo,
    guard: edited.guard,
    notice: edited.notice,
    /** Return to what is stored; unsaved new follow-ups are discarded. */
    restore: () => {
      edited.restore();
      clearError();
    },
  };
}
