/** What the page of follow-ups tells the assistant, and what may be done on it. */
import type { PageContext } from '../../kit/pageContext.ts';
import { t } from '../../kit/t.ts';
import { pingConfigs } from '../contract.ts';
import { draftOfStep, type PingStep } from '../pingSteps.ts';
import type { Texts } from './texts.ts';
import { onPage, type PingDraft, type usePings } from './usePings.ts';

interface Doing {
  /** Whether it was saved. */
  save: () => Promise<boolean>;
  reset: () => void;
}

const NO_ARGUMENTS = { type: 'object', properties: {} };

const STEP = {
  type: 'object',
  properties: {
    after_minutes: { type: 'integer', minimum: 1 },
    prepared_message_id: { type: ['integer', 'null'] },
    prompt_id: { type: ['integer', 'null'] },
    document_type: { type: ['string', 'null'] },
  },
  required: ['after_minutes'],
  description: 'Exactly one of prepared_message_id and prompt_id.',
};

const CONFIG = {
  type: 'object',
  properties: {
    is_enabled: { type: 'boolean' },
    use_on_no_init_msg_reply: { type: 'boolean' },
    steps: { type: 'array', items: STEP, minItems: 1 },
  },
  required: ['steps'],
};

export function pingContext(pings: ReturnType<typeof usePings>, texts: Texts, { save, reset }: Doing): PageContext {
  const { stored, draft, state, changed, faults } = pings;
  const named = (rows: Texts['prompt']['rows']) => rows?.map(({ id, name }) => ({ id, name })) ?? 'not loaded';
  return {
    description: t('Follow-ups of the chosen product: what a lead who does not answer is sent, and when.'),
    summary: JSON.stringify({
      state: draft === null ? 'none' : state,
      pings: draft && { ...draft, steps: draft.steps.map(({ key: _key, ...step }) => step) },
      faults: faults.map(({ sentence }) => sentence),
      prepared_messages: named(texts.prepared_message.rows),
      prompts: named(texts.prompt.rows),
    }),
    tools: [
      {
        name: 'create_ping_config',
        description: t('Creates and saves follow-ups where the product has none.'),
        parameters: CONFIG,
        confirm: true,
      },
      {
        name: 'add_ping_step',
        description: t('Adds a step at the end, on the page; it is not saved yet.'),
        parameters: STEP,
        confirm: true,
      },
      {
        name: 'replace_ping_config',
        description: t('Replaces all follow-ups on the page; they are not saved yet.'),
        parameters: CONFIG,
        confirm: true,
      },
      {
        name: 'save_ping_config',
        description: t('Saves the follow-ups as they stand on the page.'),
        parameters: NO_ARGUMENTS,
        confirm: true,
      },
      {
        name: 'reset_ping_config',
        description: t('Puts the last saved follow-ups back on the page.'),
        parameters: NO_ARGUMENTS,
      },
    ],
    handlers: {
      create_ping_config: {
        call: async (args) => {
          if (stored !== null) return { status: 'not created', reason: 'There is a configuration already.' };
          const read = readConfig(args);
          if (read.draft === null) return { status: 'not created', reasons: read.reasons };
          return { status: (await pings.store(read.draft)) ? 'created' : 'failed' };
        },
      },
      add_ping_step: {
        call: async (args) => {
          if (draft === null) return { status: 'not added', reason: 'There is no configuration yet.' };
          const read = readConfig({ steps: [args] });
          const [step] = read.draft?.steps ?? [];
          if (!step) return { status: 'not added', reasons: read.reasons };
          pings.add(step);
          return { status: 'added', step_number: draft.steps.length + 1 };
        },
      },
      replace_ping_config: {
        call: async (args) => {
          if (draft === null) return { status: 'not replaced', reason: 'There is no configuration yet.' };
          const read = readConfig(args);
          if (read.draft === null) return { status: 'not replaced', reasons: read.reasons };
          pings.replace(read.draft);
          return { status: 'replaced' };
        },
      },
      save_ping_config: {
        call: async () => {
          if (!changed || faults.length > 0)
            return { status: 'not saved', unsaved: changed, faults: faults.map(({ sentence }) => sentence) };
          return { status: (await save()) ? 'saved' : 'failed' };
        },
      },
      reset_ping_config: {
        call: async () => {
          reset();
          return { status: 'reset' };
        },
      },
    },
  };
}

/** Reads what the assistant gave, by the contract's own rules; its steps are numbered by their places. */
function readConfig(
  args: Readonly<Record<string, unknown>>,
): { draft: PingDraft; reasons: [] } | { draft: null; reasons: string[] } {
  const { is_enabled, use_on_no_init_msg_reply, steps } = args;
  const numbered = Array.isArray(steps) ? steps.map((step, index) => ({ ...step, step_number: index + 1 })) : steps;
  // The product is put in when it is stored.
  const read = pingConfigs.create.body.safeParse({
    product_id: 1,
    is_enabled,
    config: { use_on_no_init_msg_reply, steps: numbered },
  });
  if (!read.success) return { draft: null, reasons: read.error.issues.map(({ message }) => message) };
  const { config } = read.data;
  const draft = {
    is_enabled: read.data.is_enabled,
    use_on_no_init_msg_reply: config.use_on_no_init_msg_reply,
    steps: config.steps.map((step: PingStep) => onPage(draftOfStep(step))),
  };
  return { draft, reasons: [] };
}
