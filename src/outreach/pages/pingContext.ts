/** The context and tools that the follow-ups page gives the assistant. */
import { z } from 'zod';
import { t } from '../../ui/i18n.ts';
import { rowsForAssistant } from '../../ui/listTools.ts';
import { type PageContext, Undoable } from '../../ui/pageContext.ts';
import { argumentsError, NO_ARGUMENTS, pageTool, pageTools, type ToolWithHandler } from '../../ui/pageTool.ts';
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

export function pingContext(pings: Pings, texts: StepTexts, actions: PageActions): PageContext {
  const draft = toPlain(pings.draft);
  return {
    description: t('Follow-ups of the chosen product: what a lead who does not reply is sent, and when.'),
    summary: JSON.stringify({
      state: draft === null ? 'none' : pings.state,
      pings: draft,
      faults: pings.faults.map(({ sentence }) => sentence),
      prepared_messages: namesOf(texts.prepared_message.rows),
      prompts: namesOf(texts.prompt.rows),
    }),
    ...pageTools(createTool(pings), ...draftTools(pings, draft), ...storeTools(pings, draft, actions)),
  };
}

const namesOf = (rows: StepTexts['prompt']['rows']) =>
  rows
    ? rowsForAssistant(
        rows.map(({ id, name }) => ({ id, name })),
        MAX_TEXT_CHARS,
      )
    : 'not loaded';

const saveFailed = () => new Error(t('Failed to save ping configuration. Please try again.'));

function createTool({ stored, store, undo }: Pings): ToolWithHandler {
  return pageTool({
    name: 'create_ping_config',
    description: t('Creates and saves follow-ups where the product has none.'),
    input: CONFIG,
    confirm: true,
    run: async (input) => {
      if (stored !== null) throw new Error(t('There is a configuration already.'));
      const config = readConfig(input);
      const newDraft = toDraft(config);
      if (newDraft === null || !(await store(newDraft))) throw saveFailed();
      return new Undoable({ status: 'created' }, undo(null, config));
    },
  });
}

/** Tools that change the draft on the page. */
function draftTools({ view }: Pings, draft: PlainPings | null): ToolWithHandler[] {
  const requireDraft = (): PlainPings => {
    if (draft === null) throw new Error(t('There is no configuration yet.'));
    return draft;
  };
  return [
    pageTool({
      name: 'add_ping_step',
      description: t('Adds a step at the end, on the page; it is not saved yet.'),
      input: STEP,
      confirm: true,
      run: async (input) => {
        const before = requireDraft();
        if (before.steps.length >= MAX_STEPS) throw new Error(t('There are {{most}} already.', { most: MAX_STEPS }));
        const { steps } = readConfig({ ...before, steps: [input] });
        const next = { ...before, steps: [...before.steps, ...steps] };
        return changeDraft(view, next, { status: 'added, not saved', step_number: next.steps.length });
      },
    }),
    pageTool({
      name: 'replace_ping_config',
      description: t('Replaces all follow-ups on the page; they are not saved yet.'),
      input: CONFIG,
      confirm: true,
      run: async (input) => {
        requireDraft();
        return changeDraft(view, readConfig(input), { status: 'replaced on the page, not saved' });
      },
    }),
  ];
}

/** Tools that save the follow-ups, or return to the saved ones. */
function storeTools(pings: Pings, draft: PlainPings | null, { save, reset }: PageActions): ToolWithHandler[] {
  const { stored, changed, view } = pings;
  const saved = () => toPlain(draftFromStored(stored));
  return [
    pageTool({
      name: 'save_ping_config',
      description: t('Saves the follow-ups on the page.'),
      input: NO_ARGUMENTS,
      confirm: true,
      run: async () => {
        const sentences = pings.faults.map(({ sentence }) => sentence);
        if (draft === null || !changed || sentences.length > 0)
          throw new Error(sentences.join(' ') || t('Nothing has changed.'));
        if (!(await save())) throw saveFailed();
        return new Undoable({ status: 'saved' }, pings.undo(saved(), draft));
      },
    }),
    pageTool({
      name: 'reset_ping_config',
      description: t('Restores the last saved follow-ups on the page; unsaved changes are lost.'),
      input: NO_ARGUMENTS,
      confirm: true,
      run: async () => {
        if (!changed) throw new Error(t('Nothing has changed.'));
        reset();
        return new Undoable({ status: 'reset' }, draftUndo(view, draft, saved()));
      },
    }),
  ];
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
