/** What the page of a product's integration tells the assistant, and what may be done on it. */
import type { PageContext } from '../../kit/pageContext.ts';
import { t } from '../../kit/t.ts';
import { stages } from '../../leads/contract.ts';
import { configOf, type Directory, MOST_PIPELINES } from './integrationDraft.ts';
import type { IntegrationSettings } from './useIntegrationSettings.ts';

interface Doing {
  /** Whether it was saved. */
  save: () => Promise<boolean>;
  reset: () => void;
}

interface OnPage {
  /** The integration chosen. */
  readonly name: string;
  readonly directory: Directory | undefined;
}

const NO_ARGUMENTS = { type: 'object', properties: {} };
const STEPS = Object.fromEntries(stages.map((stage) => [stage, { type: 'integer', minimum: 0 }]));

export function integrationContext(
  settings: Pick<IntegrationSettings, 'stored' | 'draft' | 'changed' | 'missing' | 'faults' | 'add'>,
  { name, directory }: OnPage,
  { save, reset }: Doing,
): PageContext {
  const { stored, draft, changed, missing } = settings;
  const wrong = Object.values(settings.faults);
  return {
    description: t(
      'How the chosen product uses a CRM account: whether cards are imported, and which step belongs to which stage.',
    ),
    summary: JSON.stringify({
      integration: name,
      status: stored === null ? 'Not Configured' : 'Configured',
      unsaved: changed,
      config: configOf(draft),
      faults: wrong,
      pipelines_of_the_account:
        directory?.pipelines.map(({ id, name, steps }) => ({
          id,
          name,
          steps: steps.map((step) => ({ id: step.id, name: step.name })),
        })) ?? 'not loaded',
    }),
    tools: [
      {
        name: 'save_integration_config',
        description: t('Saves the integration settings as they stand on the page.'),
        parameters: NO_ARGUMENTS,
        confirm: true,
      },
      {
        name: 'reset_integration_config',
        description: t('Puts the last saved integration settings back on the page.'),
        parameters: NO_ARGUMENTS,
      },
      {
        name: 'add_pipeline',
        description: t('Adds a pipeline at the end, on the page; it is not saved yet. A step of 0 is not mapped.'),
        parameters: {
          type: 'object',
          properties: {
            pipeline_id: { type: 'integer', minimum: 0 },
            is_active: { type: 'boolean' },
            steps: { type: 'object', properties: STEPS },
          },
        },
        confirm: true,
      },
    ],
    handlers: {
      save_integration_config: {
        call: async () => {
          const faults = Object.values(missing);
          if ((stored !== null && !changed) || faults.length > 0)
            return { status: 'not saved', unsaved: changed, faults };
          return { status: (await save()) ? 'saved' : 'failed' };
        },
      },
      reset_integration_config: {
        call: async () => {
          reset();
          return { status: 'reset' };
        },
      },
      add_pipeline: {
        call: async (args) => {
          if (draft.pipelines.length >= MOST_PIPELINES)
            return { status: 'not added', reasons: [`There are ${MOST_PIPELINES} already.`] };
          const added = settings.add(args);
          return 'reasons' in added ? { status: 'not added', reasons: added.reasons } : { status: 'added' };
        },
      },
    },
  };
}
