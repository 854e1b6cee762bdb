/** What the assistant may do on the page of product settings. */
import { z } from 'zod';
import type { PageContext } from '../../kit/pageContext.ts';
import { t } from '../../kit/t.ts';
import { llmVendors, messagingConfig, modelConfig } from '../contract.ts';
import {
  type defaultModels,
  faultsOf,
  purposes,
  type Settings,
  withExpiry,
  withMessaging,
  withModel,
} from './settings.ts';

interface Steering {
  settings: Settings;
  defaults: ReturnType<typeof defaultModels>;
  /** Why the settings cannot be saved as they stand; null: they can. */
  obstacle: string | null;
  change: (settings: Settings) => void;
  /** Whether it was saved. */
  save: () => Promise<boolean>;
  reset: () => void;
  deleteConfig: () => Promise<unknown>;
}

const NO_ARGUMENTS = { type: 'object', properties: {}, additionalProperties: false } as const;

const modelChange = z.strictObject({
  purpose: z.enum(purposes),
  vendor: modelConfig.shape.vendor.unwrap().nonoptional().optional(),
  model: modelConfig.shape.model.unwrap().nonoptional().optional(),
  temperature: z.number().min(0).max(2).optional(),
});

const limits = messagingConfig.shape;
const outreachChange = z.strictObject({
  tg_daily_limit: limits.tg_daily_limit.unwrap().optional(),
  whatsapp_daily_limit: limits.whatsapp_daily_limit.unwrap().optional(),
  add_interval_seconds: limits.add_interval_seconds.unwrap().optional(),
  initial_message_send_at: limits.initial_message_send_at.unwrap().optional(),
  initial_message_text: z.string().max(10_000).optional(),
  lead_expires_in_hours: z.int().min(0).max(1_000_000).optional(),
});

/** What is given, without what is not: a change says only what it changes. */
function given<T extends object>(change: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as never;
}

export function settingsTools(page: Steering): Pick<PageContext, 'tools' | 'handlers'> {
  const took = (settings: Settings) => {
    page.change(settings);
    return { status: 'changed on the page, not saved', faults: faultsOf(settings) };
  };
  return {
    tools: [
      {
        name: 'set_model',
        confirm: true,
        description: t(
          'Chooses vendor, model and temperature for a purpose. Another vendor clears the model unless one is given. It is not saved by that.',
        ),
        parameters: {
          type: 'object',
          properties: {
            purpose: { enum: purposes },
            vendor: { enum: llmVendors },
            model: { type: 'string' },
            temperature: { type: 'number', minimum: 0, maximum: 2 },
          },
          required: ['purpose'],
          additionalProperties: false,
        },
      },
      {
        name: 'set_limits',
        confirm: true,
        description: t(
          'Changes daily limits, the pause between first messages, their time (UTC) and text, and when leads expire. It is not saved by that.',
        ),
        parameters: {
          type: 'object',
          properties: {
            tg_daily_limit: { type: 'integer', minimum: 0, description: t('0: no automated first messages') },
            whatsapp_daily_limit: { type: 'integer', minimum: 0, description: t('0: no automated first messages') },
            add_interval_seconds: { type: 'integer', minimum: 0 },
            initial_message_send_at: { type: 'string', description: 'HH:MM' },
            initial_message_text: { type: 'string' },
            lead_expires_in_hours: { type: 'integer', minimum: 0, description: t('0: never') },
          },
          additionalProperties: false,
        },
      },
      {
        name: 'save_settings',
        confirm: true,
        description: t('Saves the settings as they stand.'),
        parameters: NO_ARGUMENTS,
      },
      { name: 'reset_settings', description: t('Puts the last saved settings back.'), parameters: NO_ARGUMENTS },
      {
        name: 'delete_config',
        confirm: true,
        description: t('Deletes the product’s own configuration: it then uses the system defaults.'),
        parameters: NO_ARGUMENTS,
      },
    ],
    handlers: {
      set_model: {
        call: async (args) => {
          const { purpose, ...change } = modelChange.parse(args);
          return took(withModel(page.settings, page.defaults, purpose, given(change)));
        },
      },
      set_limits: {
        call: async (args) => {
          const { lead_expires_in_hours: hours, ...change } = outreachChange.parse(args);
          const messaging = given(change);
          const settings = Object.keys(messaging).length > 0 ? withMessaging(page.settings, messaging) : page.settings;
          return took(hours === undefined ? settings : withExpiry(settings, hours));
        },
      },
      save_settings: {
        call: async () => {
          if (page.obstacle !== null) return { status: 'not saved', reason: page.obstacle };
          if (!(await page.save())) throw new Error(t('Failed to save settings. Please try again.'));
          return { status: 'saved' };
        },
      },
      reset_settings: {
        call: async () => {
          page.reset();
          return { status: 'reset' };
        },
      },
      delete_config: {
        call: async () => {
          await page.deleteConfig();
          return { status: 'deleted' };
        },
      },
    },
  };
}
