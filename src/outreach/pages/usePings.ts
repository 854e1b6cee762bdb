/** The follow-ups of a product while they are edited: what is stored, what is on the screen, and the ways between. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { z } from 'zod';
import { call, tagOf } from '../../kit/api.ts';
import type { DocumentField } from '../../kit/documentField.ts';
import { Conflict, type DraftForm, useEdited } from '../../kit/edited.tsx';
import type { Undo } from '../../kit/pageContext.ts';
import { keyOf, putAnswer, queryClient } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { type Draft, settingUndo, unlessGone, useInView, viewsById } from '../../kit/undo.ts';
import { type PingConfig, pingConfigOfProduct, pingConfigs } from '../contract.ts';
import { draftOfStep, NEW_STEP, numbered, type StepDraft, stepFaults, withoutStep } from '../pingSteps.ts';
import { sourceOfSteps } from './texts.ts';

export interface StepOnPage extends StepDraft {
  /** Tells steps apart while their places change. */
  readonly key: number;
}

/** What becomes of a step; it is given the latest, so that two changes at once both count. */
export type StepChange = (former: StepOnPage) => StepOnPage;

export interface PingDraft {
  readonly is_enabled: boolean;
  readonly use_on_no_init_msg_reply: boolean;
  readonly steps: readonly StepOnPage[];
}

export type PingState = 'creating' | 'changed' | 'saved';

let keys = 0;
export function onPage(step: StepDraft): StepOnPage {
  keys += 1;
  return { ...step, key: keys };
}

export const draftOf = (stored: PingConfig | null): PingDraft | null =>
  stored && {
    is_enabled: stored.is_enabled,
    use_on_no_init_msg_reply: stored.config.use_on_no_init_msg_reply,
    steps: stored.config.steps.map((step) => onPage(draftOfStep(step))),
  };

/** What new follow-ups begin with: one step. */
const begun = (): PingDraft => ({ is_enabled: true, use_on_no_init_msg_reply: true, steps: [onPage(NEW_STEP)] });

/** The settings as they go over the wire; a draft may still have faults. */
export function settingsOf({ is_enabled, use_on_no_init_msg_reply, steps }: PlainPings) {
  const plain = numbered(steps).map(({ document_type, ...step }) => ({
    ...step,
    document_type: document_type?.trim() || null,
  }));
  return { is_enabled, config: { steps: plain, use_on_no_init_msg_reply } };
}

/** The draft without what only tells its steps apart. */
export interface PlainPings extends Omit<PingDraft, 'steps'> {
  readonly steps: readonly StepDraft[];
}
export const plainOf = (draft: PingDraft | null): PlainPings | null =>
  draft && { ...draft, steps: draft.steps.map(({ key: _key, ...step }) => step) };
export const drawnOf = (plain: PlainPings | null): PingDraft | null =>
  plain && { ...plain, steps: plain.steps.map(onPage) };

const step = z.object({
  source: z.enum(['prepared_message', 'prompt']),
  after_minutes: z.number().nullable(),
  prepared_message_id: z.number().nullable(),
  prompt_id: z.number().nullable(),
  document_type: z.string().nullable(),
});
const DRAFT: DraftForm<PingDraft | null, PlainPings | null> = {
  shape: z.object({ is_enabled: z.boolean(), use_on_no_init_msg_reply: z.boolean(), steps: z.array(step) }).nullable(),
  plain: plainOf,
  drawn: drawnOf,
};

/** The follow-ups as the page names them. */
function describe(draft: PingDraft | null): DocumentField[] {
  if (draft === null) return [];
  const onOff = (isOn: boolean) => (isOn ? t('On') : t('Off'));
  return [
    { label: t('Pings enabled'), value: onOff(draft.is_enabled) },
    {
      label: t('Also where the first message was never answered'),
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
          source: sourceOfSteps[source],
        },
        { label: label(t('Document type')), value: type ?? '' },
      ];
    }),
  ];
}

interface InPage extends Draft<PlainPings | null> {
  readonly took: (now: PingConfig | null) => void;
}
const viewOf = viewsById<InPage>();

const readStored = (productId: number): Promise<PingConfig | null> =>
  unlessGone(call(pingConfigOfProduct, { params: { product_id: productId } }));

/** Puts follow-ups in the place of whatever is stored; null: none. */
async function write(productId: number, wanted: PlainPings | null): Promise<PingConfig | null> {
  const stored = await readStored(productId);
  if (wanted === null) {
    if (stored !== null) await call(pingConfigs.remove, { params: { id: stored.id } });
    return null;
  }
  const body = pingConfigs.create.body.parse({ product_id: productId, ...settingsOf(wanted) });
  return stored === null
    ? call(pingConfigs.create, { body })
    : call(pingConfigs.replace, { params: { id: stored.id }, body, ifMatch: tagOf(stored) });
}

/** Undo of what was stored: `before` was, `saved` is. */
export function pingUndo(productId: number, before: PlainPings | null, saved: PlainPings): Undo {
  const view = viewOf(productId);
  // As it comes back: a document's type is stored without blanks around it.
  const left = { ...saved, steps: settingsOf(saved).config.steps.map(draftOfStep) };
  return settingUndo<PlainPings | null, PlainPings | null>(view, left, {
    left,
    read: async () => plainOf(draftOf(await readStored(productId))),
    putBack: async () => {
      const now = await write(productId, before);
      putAnswer(queryClient, keyOf(pingConfigOfProduct, { params: { product_id: productId } }), now);
      view.now?.took(now);
    },
  });
}

export function usePings(productId: number, found: PingConfig | null) {
  const cache = useQueryClient();
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const edited = useEdited({
    place: `pings/${productId}`,
    what: t('Ping Settings'),
    found,
    draftOf,
    form: DRAFT,
    shared: { reread: () => readStored(productId), describe },
    onStored: (now) => {
      setError(null);
      putAnswer(cache, keyOf(pingConfigOfProduct, { params: { product_id: productId } }), now);
    },
  });
  const { stored, draft, changed, setDraft, took } = edited;
  const edit = useCallback(
    (next: (former: PingDraft) => Partial<PingDraft>) => setDraft((former) => former && { ...former, ...next(former) }),
    [setDraft],
  );
  const change = useCallback(
    (key: number, next: StepChange) =>
      edit(({ steps }) => ({ steps: steps.map((former) => (former.key === key ? next(former) : former)) })),
    [edit],
  );

  /** Stores a draft without faults; whether that worked. */
  const store = async (draft: PingDraft): Promise<boolean> => {
    setSaving(true);
    try {
      const body = pingConfigs.create.body.parse({ product_id: productId, ...settingsOf(draft) });
      await edited.save((ifMatch) =>
        stored === null
          ? call(pingConfigs.create, { body })
          : call(pingConfigs.replace, { params: { id: stored.id }, body, ifMatch }),
      );
      toast.success(t('Ping configuration saved successfully!'));
      return true;
    } catch (failed) {
      if (failed instanceof Conflict) return false;
      setError(failed instanceof Error ? failed : new Error(String(failed)));
      toast.error(t('Failed to save ping configuration. Please try again.'));
      return false;
    } finally {
      setSaving(false);
    }
  };

  const view = viewOf(productId);
  useInView(view, { value: plainOf(draft), put: (next) => setDraft(drawnOf(next)), took });
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
    begin: () => setDraft(begun()),
    edit,
    /** Adds a step at the end and gives its key. */
    add: (step: StepDraft = NEW_STEP): number => {
      const added = onPage(step);
      edit(({ steps }) => ({ steps: [...steps, added] }));
      return added.key;
    },
    change,
    take: (index: number) => edit(({ steps }) => ({ steps: withoutStep(steps, index) })),
    store,
    view,
    undo,
    guard: edited.guard,
    notice: edited.notice,
    /** Back to what is stored; new ones go. */
    restore: () => {
      edited.restore();
      setError(null);
    },
  };
}
