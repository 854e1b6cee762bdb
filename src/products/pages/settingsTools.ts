/** The assistant's tools on the page of product settings. */
import { z } from 'zod';
import { timeZone } from '../../platform/zones.ts';
import { t } from '../../ui/i18n.ts';
import { type PageContext, type Undo, Undoable } from '../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools } from '../../ui/pageTool.ts';
import { changeDraft, type Draft, draftUndo, isDeepEqual, type ViewRef } from '../../ui/undo.ts';
import { gates, messagingConfig, modelConfig, product, productConfig, products, replyHours } from '../contract.ts';
import {
  type defaultModels,
  isCustom,
  purposes,
  type Settings,
  withExpiry,
  withGate,
  withMessaging,
  withModel,
  withoutConfig,
} from './settings.ts';

interface SettingsToolContext {
  settings: Settings;
  /** The settings as stored. */
  saved: Settings;
  defaults: ReturnType<typeof defaultModels>;
  /** Lists what prevents settings from being saved. */
  errorsOf: (settings: Settings) => string[];
  /** Why the settings cannot be saved now; null if they can. */
  blockReason: string | null;
  view: ViewRef<Draft<Settings>>;
  /** Save the page; resolves to whether that succeeded. */
  save: () => Promise<boolean>;
  reset: () => void;
  deleteConfig: () => Promise<unknown>;
  /** Create the undo of a save that changed `before` to `after`. */
  undo: (before: Settings, after: Settings) => Undo;
}

const modelChange = z.strictObject({
  purpose: z.enum(purposes),
  vendor: modelConfig.shape.vendor.unwrap().unwrap().optional(),
  model: modelConfig.shape.model.unwrap().unwrap().optional(),
  temperature: modelConfig.shape.temperature.unwrap().optional(),
});

const limits = messagingConfig.shape;
const noFirstMessages = t('0: no automated first messages');
const outreachChange = z.strictObject({
  tg_daily_limit: limits.tg_daily_limit.unwrap().optional().describe(noFirstMessages),
  whatsapp_daily_limit: limits.whatsapp_daily_limit.unwrap().optional().describe(noFirstMessages),
  add_interval_seconds: limits.add_interval_seconds.unwrap().optional(),
  add_interval_jitter_seconds: limits.add_interval_jitter_seconds.unwrap().optional(),
  initial_message_send_at: limits.initial_message_send_at
    .unwrap()
    .optional()
    .describe('HH:MM, on the clock of the product’s time zone'),
  initial_message_prepared_message_id: limits.initial_message_prepared_message_id.unwrap().optional(),
  initial_message_text: limits.initial_message_text.unwrap().optional(),
  lead_expires_in_hours: productConfig.shape.lead_expires_in_hours.unwrap().optional().describe(t('0: never')),
});

const productChange = z.strictObject({
  name: products.create.body.shape.name.optional(),
  is_active: z.boolean().optional(),
  timezone: timeZone.optional().describe('IANA name: days of limits, Send at, charts and date filters are read in it'),
  reply_hours: z.enum(replyHours).optional().describe(t('When the bot replies: in working hours only, or at any time')),
  hand_over: z.boolean().optional().describe(t('Whether the bot may hand dialogues over to people')),
  hand_over_text: product.shape.hand_over_text.optional().describe(t('The sentence that the lead gets then')),
  target_minutes: product.shape.target_minutes
    .optional()
    .describe(t('Minutes within which waiting leads are answered')),
  return_to_bot_hours: product.shape.return_to_bot_hours
    .optional()
    .describe(t('Hours without a message from a person until the bot answers again; null: never')),
  round_robin: z.boolean().optional().describe(t('Whether dialogues are assigned to the operators in turn')),
  bot_reads_notes: z
    .boolean()
    .optional()
    .describe(t('Whether models that write to a lead get the notes about the dialogue')),
  gate: z
    .enum(gates)
    .optional()
    .describe(
      t(
        'What saving a prompt does. off: it is live at once. warn: it is a draft, and publishing shows which test cases fail. block: publishing a draft whose cases fail needs a reason',
      ),
    ),
});

/** Drop undefined fields: a change contains only what it changes. */
function definedFields<T extends object>(change: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as never;
}

export function settingsTools(page: SettingsToolContext): Required<Pick<PageContext, 'tools' | 'handlers'>> {
  const { settings, saved, view, undo } = page;
  const changeSettings = (next: Settings) =>
    changeDraft(view, next, { status: 'changed on the page, not saved', faults: page.errorsOf(next) });
  return pageTools(
    pageTool({
      name: 'set_model',
      description: t(
        'Chooses vendor, model and temperature for a purpose. Another vendor clears the model unless one is given. Does not save.',
      ),
      input: modelChange,
      confirm: true,
      run: async ({ purpose, ...change }) =>
        changeSettings(withModel({ settings, defaults: page.defaults, purpose, change: definedFields(change) })),
    }),
    pageTool({
      name: 'set_limits',
      description: t(
        'Changes daily limits, the pause between first messages, their time (on the clock of the product’s time zone) and text, and when leads expire. Does not save.',
      ),
      input: outreachChange,
      confirm: true,
      run: async ({ lead_expires_in_hours: hours, ...change }) => {
        const messaging = definedFields(change);
        const next = Object.keys(messaging).length > 0 ? withMessaging(settings, messaging) : settings;
        return changeSettings(hours === undefined ? next : withExpiry(next, hours));
      },
    }),
    pageTool({
      name: 'set_product',
      description: t(
        'Renames the product, switches it on or off, or changes its time zone, when its bot replies, how dialogues are handed over to people, and whether prompts are live when they are saved. Does not save.',
      ),
      input: productChange,
      confirm: true,
      run: async ({ gate, ...change }) => {
        const next = { ...settings, ...definedFields(change) };
        return changeSettings(gate === undefined ? next : withGate(next, gate));
      },
    }),
    pageTool({
      name: 'save_product_settings',
      description: t('Saves the settings on the page.'),
      input: NO_ARGUMENTS,
      confirm: true,
      run: async () => {
        if (page.blockReason !== null) throw new Error(page.blockReason);
        if (!(await page.save())) throw new Error(t('Failed to save settings. Please try again.'));
        return new Undoable({ status: 'saved' }, undo(saved, settings));
      },
    }),
    pageTool({
      name: 'reset_product_settings',
      description: t('Restores the last saved settings on the page; unsaved changes are lost.'),
      input: NO_ARGUMENTS,
      confirm: true,
      run: async () => {
        if (isDeepEqual(settings, saved)) throw new Error(t('Nothing has changed.'));
        page.reset();
        return new Undoable({ status: 'reset' }, draftUndo(view, settings, saved));
      },
    }),
    pageTool({
      name: 'delete_product_settings',
      description: t('Deletes the product’s own configuration: it then uses the system defaults.'),
      input: NO_ARGUMENTS,
      confirm: true,
      run: async () => {
        if (!isCustom(saved)) throw new Error(t('The product uses the system defaults already.'));
        await page.deleteConfig();
        return new Undoable({ status: 'deleted' }, undo(saved, withoutConfig(saved)));
      },
    }),
  );
}
