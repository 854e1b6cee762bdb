/**
 * Settings of a product while edited: which values are the system's, which its own, and whether they can be saved.
 * Pure.
 */

import type { LlmSettings } from '../../llm/settingsContract.ts';
import { t } from '../../ui/i18n.ts';
import {
  DEFAULT_PRODUCT_CONFIG,
  DEFAULT_TEMPERATURE,
  type Gate,
  gates,
  type LlmVendor,
  llmVendorNames,
  llmVendors,
  messagingConfig,
  type Product,
  type ProductConfig,
  type ReplyHours,
  replyHours,
} from '../contract.ts';

export const purposes = ['chatbot', 'classification', 'ping', 'document', 'judge'] as const;
export type Purpose = (typeof purposes)[number];

/** Names of the purposes, as on the page. */
export const purposeTitles = (): Readonly<Record<Purpose, string>> => ({
  chatbot: t('Chatbot'),
  classification: t('Classification'),
  ping: t('Pings'),
  document: t('Documents'),
  judge: t('Judge'),
});

type Models = NonNullable<ProductConfig['models_config']> & Pick<ProductConfig, 'judge_model_config'>;
export type Messaging = NonNullable<ProductConfig['messaging_config']>;
export type Model = NonNullable<Models['chatbot_model_config']>;

/** The edited settings: the product's own fields and its configuration. */
export interface Settings
  extends Readonly<
    Pick<
      Product,
      | 'name'
      | 'is_active'
      | 'timezone'
      | 'config'
      | 'reply_hours'
      | 'target_minutes'
      | 'return_to_bot_hours'
      | 'hand_over'
      | 'hand_over_text'
      | 'round_robin'
      | 'bot_reads_notes'
    >
  > {}

export const settingsOf = (of: Settings): Settings => ({
  name: of.name,
  is_active: of.is_active,
  timezone: of.timezone,
  config: of.config,
  reply_hours: of.reply_hours,
  target_minutes: of.target_minutes,
  return_to_bot_hours: of.return_to_bot_hours,
  hand_over: of.hand_over,
  hand_over_text: of.hand_over_text,
  round_robin: of.round_robin,
  bot_reads_notes: of.bot_reads_notes,
});

/** The system's messaging settings: used by a product without its own, and the start of its own. */
export const DEFAULT_MESSAGING: Messaging = {
  tg_daily_limit: 0,
  whatsapp_daily_limit: 0,
  add_interval_seconds: 180,
  add_interval_jitter_seconds: 0,
  initial_message_send_at: '10:30',
  initial_message_document_prompt_id: null,
  initial_message_prepared_message_id: null,
  initial_message_text: '',
};

/** Return the models used if a product names none; null while they load. */
export function defaultModels(settings: LlmSettings | undefined): Models | null {
  if (settings === undefined) return null;
  const model = (purpose: Purpose): Model => {
    const { vendor, model: name, temperature } = settings[`default_${purpose}_model`];
    return { vendor, model: name, temperature };
  };
  return {
    chatbot_model_config: model('chatbot'),
    classification_model_config: model('classification'),
    ping_model_config: model('ping'),
    document_model_config: model('document'),
    judge_model_config: model('judge'),
  };
}

/**
 * Initial models of a product if the system's could not be loaded: none is named, and the system keeps using its
 * defaults until one is chosen.
 */
export const UNKNOWN_DEFAULTS: Models = {
  chatbot_model_config: null,
  classification_model_config: null,
  ping_model_config: null,
  document_model_config: null,
  judge_model_config: null,
};

/** The product's own model for a purpose; null: the system's. */
export const ownModel = ({ models_config: models, judge_model_config: judge }: ProductConfig, purpose: Purpose) =>
  (purpose === 'judge' ? judge : models?.[`${purpose}_model_config`]) ?? null;

interface DisplayedModel {
  readonly model: Model;
  /** Whether the system's model answers: the product has none of its own, or one whose model is not chosen yet. */
  readonly isDefault: boolean;
  /** The system's model, which answers because the product's own names no model; null if that is not so or not known. */
  readonly substitute: Model | null;
  /** False while the system's model, from which the product's own is created, is loading. */
  readonly mayChange: boolean;
}

const NO_MODEL: Model = { vendor: null, model: null, temperature: DEFAULT_TEMPERATURE };

/** Return the model shown for a purpose: the product's own, else the system's. `defaults` is null while they load. */
export function modelOf({ config }: Settings, defaults: Models | null, purpose: Purpose): DisplayedModel {
  const own = ownModel(config, purpose);
  const system = defaults?.[`${purpose}_model_config`] ?? null;
  const isIncomplete = own !== null && (own.vendor === null || own.model === null);
  return {
    model: own ?? system ?? NO_MODEL,
    isDefault: own === null || isIncomplete,
    substitute: isIncomplete ? system : null,
    mayChange: own !== null || defaults !== null,
  };
}

/** Name a model with its vendor: `ChatGPT gpt-4o`. */
export const modelName = ({ vendor, model }: Model): string =>
  [vendor && llmVendorNames[vendor], model].filter(Boolean).join(' ');

/**
 * List the purposes for which nothing would answer, one sentence each: no model is chosen, and the company has no active
 * key for the system's. `vendors`: those with an active key; null while they load.
 */
export function modelErrors(
  settings: Settings,
  defaults: Models | null,
  vendors: ReadonlySet<LlmVendor> | null,
): string[] {
  if (vendors === null) return [];
  return purposes.flatMap((purpose) => {
    const { substitute } = modelOf(settings, defaults, purpose);
    if (substitute === null || substitute.vendor === null || vendors.has(substitute.vendor)) return [];
    const [title, vendor] = [purposeTitles()[purpose], llmVendorNames[substitute.vendor]];
    return [t('{{title}}: choose a model. There is no active key for {{vendor}}, the default.', { title, vendor })];
  });
}

/**
 * Change a model. The first change creates the product's own configuration from the system's. Throws if that is not
 * known.
 */
export function withModel({
  settings,
  defaults,
  purpose,
  change,
}: {
  settings: Settings;
  defaults: Models | null;
  purpose: Purpose;
  change: Partial<Model>;
}): Settings {
  const { model, mayChange } = modelOf(settings, defaults, purpose);
  if (!mayChange) throw new Error('The default models are still loading.');
  // Another vendor has other models; the temperature stays.
  const clearedModel = change.vendor !== undefined && change.vendor !== model.vendor ? { model: null } : {};
  const chosen = { ...model, ...clearedModel, ...change };
  if (purpose === 'judge') return { ...settings, config: { ...settings.config, judge_model_config: chosen } };
  const { judge_model_config: _judge, ...others } = defaults ?? UNKNOWN_DEFAULTS;
  const models = { ...(settings.config.models_config ?? others), [`${purpose}_model_config`]: chosen };
  return { ...settings, config: { ...settings.config, models_config: models } };
}

export function messagingOf({ config }: Settings): { messaging: Messaging; isDefault: boolean } {
  return { messaging: config.messaging_config ?? DEFAULT_MESSAGING, isDefault: config.messaging_config === null };
}

export function withMessaging(settings: Settings, change: Partial<Messaging>): Settings {
  const { messaging } = messagingOf(settings);
  return { ...settings, config: { ...settings.config, messaging_config: { ...messaging, ...change } } };
}

export function withExpiry(settings: Settings, hours: number): Settings {
  return { ...settings, config: { ...settings.config, lead_expires_in_hours: hours } };
}

/** Check whether the product has its own configuration to delete. */
export function isCustom({ config }: Settings): boolean {
  return config.models_config !== null || config.messaging_config !== null || config.judge_model_config !== null;
}

export function isChanged(before: Settings, now: Settings): boolean {
  return JSON.stringify(before) !== JSON.stringify(now);
}

/** Labels of the messaging fields, as on the page. */
export const messagingLabels: Readonly<Record<keyof Messaging, string>> = {
  tg_daily_limit: t('{{messenger}} daily limit', { messenger: 'Telegram' }),
  whatsapp_daily_limit: t('{{messenger}} daily limit', { messenger: 'WhatsApp' }),
  add_interval_seconds: t('Seconds between first messages'),
  add_interval_jitter_seconds: t('Random extra seconds'),
  initial_message_send_at: t('Send at'),
  initial_message_document_prompt_id: t('Document prompt'),
  initial_message_prepared_message_id: t('Prepared message'),
  initial_message_text: t('Initial message text'),
};

/** Labels of the settings of the hand-over to people, as on the page. */
export const handOverLabels = {
  hand_over: t('Let the bot ask for a person'),
  hand_over_text: t('Message to the lead'),
  target_minutes: t('Target for answering, minutes'),
  return_to_bot_hours: t('Return to the bot after, hours'),
  round_robin: t('Assign to operators in turn'),
  bot_reads_notes: t('Let the bot read notes'),
} as const;

export const NAME_REQUIRED = 'Name is required';

/** List what prevents the settings from being saved, one sentence each. */
export function validationErrors({ name, config }: Settings): string[] {
  const errors = name.trim() === '' ? [NAME_REQUIRED] : [];
  if (config.messaging_config === null) return errors;
  const checked = messagingConfig.safeParse(config.messaging_config);
  if (checked.success) return errors;
  return [
    ...errors,
    ...checked.error.issues.map(({ code, path, message }) => {
      const label = Object.entries(messagingLabels).find(([name]) => name === path[0])?.[1];
      // Our own rules name their fields themselves.
      return code === 'custom' || label === undefined ? message : `${label}: ${message}`;
    }),
  ];
}

/** Return the settings with the system's defaults for models and messages. The gate is neither, so it stays. */
export const withoutConfig = (settings: Settings): Settings => ({
  ...settings,
  config: { ...DEFAULT_PRODUCT_CONFIG, gate: settings.config.gate },
});

export const withGate = (settings: Settings, gate: Gate): Settings => ({
  ...settings,
  config: { ...settings.config, gate },
});

/** What saving a prompt does, a sentence for each choice. */
export const gateSentences: Readonly<Record<Gate, string>> = {
  off: t('Saving puts a prompt live at once.'),
  warn: t('Saving keeps a draft. Before it is published, you see which test cases fail.'),
  block: t('Saving keeps a draft. While a test case fails, publishing it takes a reason.'),
};

export const gateLabels: Readonly<Record<Gate, string>> = {
  off: t('Live when saved'),
  warn: t('Draft when saved, published with a warning'),
  block: t('Draft when saved, published if its cases pass'),
};

export const gateIn = (value: string | null): Gate => gates.find((one) => one === value) ?? 'off';

export const replyHoursIn = (value: string | null): ReplyHours => replyHours.find((one) => one === value) ?? 'working';

export const vendorIn = (value: string | null): LlmVendor | null => llmVendors.find((one) => one === value) ?? null;

/** Return the unsaved changes that concern outreach, to preview their effects; null if there are none. */
export function outreachChange(
  before: Settings,
  now: Settings,
): (Partial<ProductConfig> & { timezone?: string }) | null {
  const { lead_expires_in_hours: hours, messaging_config: messaging } = now.config;
  const change = {
    ...(now.timezone === before.timezone ? {} : { timezone: now.timezone }),
    ...(hours === before.config.lead_expires_in_hours ? {} : { lead_expires_in_hours: hours }),
    ...(JSON.stringify(messaging) === JSON.stringify(before.config.messaging_config)
      ? {}
      : { messaging_config: messaging }),
  };
  return Object.keys(change).length === 0 ? null : change;
}

const TABS = ['models', 'outreach', 'general'] as const;

/** Return the tab that the URL asks for, else the first. */
export const initialTab = (requested: string | undefined): (typeof TABS)[number] =>
  TABS.find((tab) => tab === requested) ?? 'models';
