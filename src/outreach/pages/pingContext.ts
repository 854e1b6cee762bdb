/** The context and tools that the follow-ups page gives the assistant. */
import { z } from 'zod';
import { t } from '../../ui/i18n.ts';
import { rowsForAssistant } from '../../ui/listTools.ts';
import { type PageContext, Undoable } from '../../ui/pageContext.ts';
import { argumentsError, NO_ARGUMENTS, pageTool, pageTools } from '../../ui/pageTool.ts';
import { changeDraft, type Draft, draftUndo, type ViewRef } from '../../ui/undo.ts';
import { pingConfigs, pingSettings } from '../contract.ts';
import { MAX_STEPS, type SequenceStep, toStepDraft } from '../sequence.ts';
import type { StepTexts } from './stepTexts.ts';
import { draftFromStored, type PlainPings, toDraft, toPlain, type usePings } from './usePings.ts';

type Editing = ReturnType<typeof usePings>;
type Pings = Pick<Editing, 'stored' | 'draft' | 'state' | 'changed' | 'faults' | 'store' | 'undo'> & {
  readonly view: ViewRef<Draft<PlainPings | null>>;
};

interface PageActions {
  /** Save the page; resolves to whether that succeeded. */
  save: () => Promise<boolean>;
  reset: () => void;
}

/** Maximum characters of the names of prompts, and of prepared messages. */
const MAX_TEXT_CHARS = 8000;

/** A step without its number, which follows from its position. */
const STEP = pingSettings.shape.steps.element
  .omit({ step_number: true })
  .describe('Exactly one of prepared_message_id and prompt_id.');

const CONFIG = z.strictObject({
  is_enabled: z.boolean().default(true),
  use_on_no_init_msg_reply: pingSettings.shape.use_on_no_init_msg_reply,
  steps: z.array(STEP).min(1).max(MAX_STEPS),
});

export function pingContext(pings: Pings, texts: StepTexts, { save, reset }: PageActions): PageContext {
  const { stored, state, changed, faults, view } = pings;
  const draft = toPlain(pings.draft);
  const sentences = faults.map(({ sentence }) => sentence);
  const namesOf = (rows: StepTexts['prompt']['rows']) =>
    rows
      ? rowsForAssistant(
          rows.map(({ id, name }) => ({ id, name })),
          MAX_TEXT_CHARS,
        )
      : 'not loaded';
  const noConfig = () => new Error(t('There is no configuration yet.'));
  return {
    description: t('Follow-ups of the chosen product: what a lead who does not answer is sent, and when.'),
    summary: JSON.stringify({
      state: draft === null ? 'none' : state,
      pings: draft,
      faults: sentences,
      prepared_messages: namesOf(texts.prepared_message.rows),
      prompts: namesOf(texts.prompt.rows),
    }),
    ...pageTools(
      pageTool({
        name: 'create_ping_config',
        description: t('Creates and saves follow-ups where the product has none.'),
        input: CONFIG,
        confirm: true,
        run: async (input) => {
          if (stored !== null) throw new Error(t('There is a configuration already.'));
          const config = readConfig(input);
          const newDraft = toDraft(config);
          if (newDraft === null || !(await pings.store(newDraft)))
            throw new Error(t('Failed to save ping configuration. Please try again.'));
          return new Undoable({ status: 'created' }, pings.undo(null, config));
        },
      }),
      pageTool({
        name: 'add_ping_step',
        description: t('Adds a step at the end, on the page; it is not saved yet.'),
        input: STEP,
        confirm: true,
        run: async (input) => {
          if (draft === null) throw noConfig();
          if (draft.steps.length >= MAX_STEPS) throw new Error(t('There are {{most}} already.', { most: MAX_STEPS }));
          const { steps } = readConfig({ ...draft, steps: [input] });
          const next = { ...draft, steps: [...draft.steps, ...steps] };
          return changeDraft(view, next, { status: 'added, not saved', step_number: next.steps.length });
        },
      }),
      pageTool({
        name: 'replace_ping_config',
        description: t('Replaces all follow-ups on the page; they are not saved yet.'),
        input: CONFIG,
        confirm: true,
        run: async (input) => {
          if (draft === null) throw noConfig();
          return changeDraft(view, readConfig(input), { status: 'replaced on the page, not saved' });
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
          return new Undoable({ status: 'saved' }, pings.undo(toPlain(draftFromStored(stored)), draft));
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
          return new Undoable({ status: 'reset' }, draftUndo(view, draft, toPlain(draftFromStored(stored))));
        },
      }),
    ),
  };
}

/** Parse the assistant's arguments by the rules of the contract. Steps are numbered by position. */
function readConfig({ is_enabled, use_on_no_init_msg_reply, steps }: z.output<typeof CONFIG>): PlainPings {
  const numbered = steps.map((step, index) => ({ ...step, step_number: index + 1 }));
  // A placeholder: the product is set when the settings are stored.
  const body = { product_id: 1, is_enabled, config: { use_on_no_init_msg_reply, steps: numbered } };
  const read = pingConfigs.create.body.safeParse(body);
  if (!read.success) throw argumentsError(read.error);
  return {
    is_enabled: read.data.is_enabled,
    use_on_no_init_msg_reply: read.data.config.use_on_no_init_msg_reply,
    steps: read.data.config.steps.map((step: SequenceStep) => toStepDraft(step)),
  };
}
