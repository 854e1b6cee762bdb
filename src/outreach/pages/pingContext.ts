/** What the page of follow-ups tells the assistant, and what may be done on it. */
import { z } from 'zod';
import { rowsTold } from '../../kit/listTools.ts';
import { type PageContext, Undoable } from '../../kit/pageContext.ts';
import { misfit, NO_ARGUMENTS, pageTool, pageTools } from '../../kit/pageTool.ts';
import { t } from '../../kit/t.ts';
import { changeDraft, type Draft, draftUndo, type InView } from '../../kit/undo.ts';
import { pingConfigs, pingSettings } from '../contract.ts';
import { draftOfStep, MOST_STEPS, type PingStep } from '../pingSteps.ts';
import type { Texts } from './texts.ts';
import { draftOf, drawnOf, type PlainPings, plainOf, type usePings } from './usePings.ts';

type Editing = ReturnType<typeof usePings>;
type Pings = Pick<Editing, 'stored' | 'draft' | 'state' | 'changed' | 'faults' | 'store' | 'undo'> & {
  readonly view: InView<Draft<PlainPings | null>>;
};

interface Doing {
  /** Whether it was saved. */
  save: () => Promise<boolean>;
  reset: () => void;
}

/** Characters of the names of prompts, and of prepared messages. */
const MOST_TEXTS = 8000;

/** A step's number is its place. */
const STEP = pingSettings.shape.steps.element
  .omit({ step_number: true })
  .describe('Exactly one of prepared_message_id and prompt_id.');

const CONFIG = z.strictObject({
  is_enabled: z.boolean().default(true),
  use_on_no_init_msg_reply: pingSettings.shape.use_on_no_init_msg_reply,
  steps: z.array(STEP).min(1).max(MOST_STEPS),
});

export function pingContext(pings: Pings, texts: Texts, { save, reset }: Doing): PageContext {
  const { stored, state, changed, faults, view } = pings;
  const draft = plainOf(pings.draft);
  const sentences = faults.map(({ sentence }) => sentence);
  const named = (rows: Texts['prompt']['rows']) =>
    rows
      ? rowsTold(
          rows.map(({ id, name }) => ({ id, name })),
          MOST_TEXTS,
        )
      : 'not loaded';
  const noConfig = () => new Error(t('There is no configuration yet.'));
  return {
    description: t('Follow-ups of the chosen product: what a lead who does not answer is sent, and when.'),
    summary: JSON.stringify({
      state: draft === null ? 'none' : state,
      pings: draft,
      faults: sentences,
      prepared_messages: named(texts.prepared_message.rows),
      prompts: named(texts.prompt.rows),
    }),
    ...pageTools(
      pageTool({
        name: 'create_ping_config',
        description: t('Creates and saves follow-ups where the product has none.'),
        input: CONFIG,
        confirm: true,
        run: async (given) => {
          if (stored !== null) throw new Error(t('There is a configuration already.'));
          const wanted = readConfig(given);
          const drawn = drawnOf(wanted);
          if (drawn === null || !(await pings.store(drawn)))
            throw new Error(t('Failed to save ping configuration. Please try again.'));
          return new Undoable({ status: 'created' }, pings.undo(null, wanted));
        },
      }),
      pageTool({
        name: 'add_ping_step',
        description: t('Adds a step at the end, on the page; it is not saved yet.'),
        input: STEP,
        confirm: true,
        run: async (given) => {
          if (draft === null) throw noConfig();
          if (draft.steps.length >= MOST_STEPS) throw new Error(t('There are {{most}} already.', { most: MOST_STEPS }));
          const { steps } = readConfig({ ...draft, steps: [given] });
          const next = { ...draft, steps: [...draft.steps, ...steps] };
          return changeDraft(view, next, { status: 'added, not saved', step_number: next.steps.length });
        },
      }),
      pageTool({
        name: 'replace_ping_config',
        description: t('Replaces all follow-ups on the page; they are not saved yet.'),
        input: CONFIG,
        confirm: true,
        run: async (given) => {
          if (draft === null) throw noConfig();
          return changeDraft(view, readConfig(given), { status: 'replaced on the page, not saved' });
        },
      }),
      pageTool({
        name: 'save_ping_config',
        description: t('Saves the follow-ups as they stand on the page.'),
        input: NO_ARGUMENTS,
        confirm: true,
        run: async () => {
          if (draft === null || !changed || sentences.length > 0)
            throw new Error(sentences.join(' ') || t('Nothing has changed.'));
          if (!(await save())) throw new Error(t('Failed to save ping configuration. Please try again.'));
          return new Undoable({ status: 'saved' }, pings.undo(plainOf(draftOf(stored)), draft));
        },
      }),
      pageTool({
        name: 'reset_ping_config',
        description: t('Puts the last saved follow-ups back on the page; what was changed there goes.'),
        input: NO_ARGUMENTS,
        confirm: true,
        run: async () => {
          if (!changed) throw new Error(t('Nothing has changed.'));
          reset();
          return new Undoable({ status: 'reset' }, draftUndo(view, draft, plainOf(draftOf(stored))));
        },
      }),
    ),
  };
}

/** Reads what the assistant gave, by the contract's own rules; its steps are numbered by their places. */
function readConfig({ is_enabled, use_on_no_init_msg_reply, steps }: z.output<typeof CONFIG>): PlainPings {
  const numbered = steps.map((step, index) => ({ ...step, step_number: index + 1 }));
  // The product is put in when it is stored.
  const body = { product_id: 1, is_enabled, config: { use_on_no_init_msg_reply, steps: numbered } };
  const read = pingConfigs.create.body.safeParse(body);
  if (!read.success) throw misfit(read.error);
  return {
    is_enabled: read.data.is_enabled,
    use_on_no_init_msg_reply: read.data.config.use_on_no_init_msg_reply,
    steps: read.data.config.steps.map((step: PingStep) => draftOfStep(step)),
  };
}
