/** The context and tools that the page of a product's integration gives the assistant. */
import { z } from 'zod';
import { t } from '../../ui/i18n.ts';
import { rowsForAssistant } from '../../ui/listTools.ts';
import { type PageContext, Undoable } from '../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools } from '../../ui/pageTool.ts';
import { changeDraft, type Draft, draftUndo, type ViewRef } from '../../ui/undo.ts';
import { type IntegrationConfig, productIntegrations } from '../contract.ts';
import { type Directory, draftFromStored, MAX_PIPELINES, toConfig } from './integrationDraft.ts';
import type { IntegrationSettings } from './useIntegrationSettings.ts';

type Settings = Pick<IntegrationSettings, 'stored' | 'draft' | 'changed' | 'missing' | 'faults' | 'undo'> & {
  readonly view: ViewRef<Draft<IntegrationConfig>>;
};

interface PageActions {
  /** Save the page; resolves to whether that succeeded. */
  save: () => Promise<boolean>;
  reset: () => void;
}

interface PageState {
  /** Name of the chosen integration. */
  readonly name: string;
  readonly directory: Directory | undefined;
}

const config = productIntegrations.create.body.shape.config.unwrap().shape;
const PIPELINE = config.pipelines.unwrap().element;
const IMPORT = z.strictObject({
  import_enabled: config.import_enabled.unwrap().optional(),
  tg_contact_custom_field_name: config.tg_contact_custom_field_name.unwrap().optional(),
  whatsapp_contact_custom_field_name: config.whatsapp_contact_custom_field_name.unwrap().optional(),
});

export function integrationContext(
  settings: Settings,
  { name, directory }: PageState,
  { save, reset }: PageActions,
): PageContext {
  const { stored, changed, missing, view } = settings;
  const draft = toConfig(settings.draft);
  const before = stored?.config ?? null;
  return {
    description: t(
      'How the chosen product uses a CRM account: whether cards are imported, and which step belongs to which stage.',
    ),
    summary: JSON.stringify({
      integration: name,
      status: stored === null ? 'Not Configured' : 'Configured',
      unsaved: changed,
      config: draft,
      faults: Object.values(settings.faults),
      pipelines_of_the_account: directory
        ? rowsForAssistant(
            directory.pipelines.map(({ id, name, steps }) => ({
              id,
              name,
              steps: steps.map((step) => ({ id: step.id, name: step.name })),
            })),
          )
        : 'not loaded',
    }),
    ...pageTools(
      pageTool({
        name: 'save_integration_config',
        description: t('Saves the integration settings on the page.'),
        input: NO_ARGUMENTS,
        confirm: true,
        run: async () => {
          const faults = Object.values(missing);
          if (faults.length > 0) throw new Error(faults.join(' '));
          if (stored !== null && !changed) throw new Error(t('Nothing has changed.'));
          if (!(await save())) throw new Error(t('Failed to save integration settings. Please try again.'));
          return new Undoable({ status: 'saved' }, settings.undo(before, draft));
        },
      }),
      pageTool({
        name: 'reset_integration_config',
        description: t('Restores the last saved integration settings on the page; unsaved changes are lost.'),
        input: NO_ARGUMENTS,
        confirm: true,
        run: async () => {
          if (!changed) throw new Error(t('Nothing has changed.'));
          reset();
          return new Undoable({ status: 'reset' }, draftUndo(view, draft, toConfig(draftFromStored(before))));
        },
      }),
      pageTool({
        name: 'set_import',
        description: t('Turns the import of cards on or off, or names the custom fields. Does not save.'),
        input: IMPORT,
        confirm: true,
        run: async (change) => {
          const changes = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
          return changeDraft(view, { ...draft, ...changes }, { status: 'changed on the page, not saved' });
        },
      }),
      pageTool({
        name: 'add_pipeline',
        description: t('Adds a pipeline at the end, on the page; it is not saved yet. A step of 0 is not mapped.'),
        input: PIPELINE,
        confirm: true,
        run: async (pipeline) => {
          if (draft.pipelines.length >= MAX_PIPELINES)
            throw new Error(t('There are {{most}} already.', { most: MAX_PIPELINES }));
          const next = { ...draft, pipelines: [...draft.pipelines, pipeline] };
          return changeDraft(view, next, { status: 'added, not saved' });
        },
      }),
    ),
  };
}
