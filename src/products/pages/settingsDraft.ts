/** The draft of a product's settings: how it is stored, and the labels of its fields. */
import { z } from 'zod';
import { documentPrompts, preparedMessages } from '../../prompts/contract.ts';
import type { DocumentField } from '../../ui/documentField.ts';
import { t } from '../../ui/i18n.ts';
import { optionSource } from '../../ui/optionSource.ts';
import { zoneName } from '../../ui/timeZones.ts';
import { plainDraftCodec } from '../../ui/useDraft.tsx';
import { gates, llmVendors, replyHours } from '../contract.ts';
import {
  gateLabels,
  handOverLabels,
  type Messaging,
  messagingLabels,
  ownModel,
  purposes,
  purposeTitles,
  type Settings,
} from './settings.ts';

const model = z.object({
  vendor: z.enum(llmVendors).nullable(),
  model: z.string().nullable(),
  temperature: z.number(),
});

/** Without the contract's limits, since a draft may still have faults. */
export const SETTINGS_DRAFT = plainDraftCodec<Settings>(
  z.object({
    name: z.string(),
    is_active: z.boolean(),
    timezone: z.string(),
    config: z.object({
      lead_expires_in_hours: z.number(),
      models_config: z
        .object({
          chatbot_model_config: model.nullable(),
          classification_model_config: model.nullable(),
          ping_model_config: model.nullable(),
          document_model_config: model.nullable(),
        })
        .nullable(),
      judge_model_config: model.nullable().default(null),
      messaging_config: z
        .object({
          tg_daily_limit: z.number(),
          whatsapp_daily_limit: z.number(),
          add_interval_seconds: z.number(),
          add_interval_jitter_seconds: z.number(),
          initial_message_send_at: z.string(),
          initial_message_document_prompt_id: z.number().nullable(),
          initial_message_prepared_message_id: z.number().nullable(),
          initial_message_text: z.string().nullable(),
        })
        .nullable(),
      gate: z.enum(gates),
    }),
    reply_hours: z.enum(replyHours),
    target_minutes: z.number(),
    return_to_bot_hours: z.number().nullable(),
    hand_over: z.boolean(),
    hand_over_text: z.string(),
    round_robin: z.boolean(),
    bot_reads_notes: z.boolean(),
  }),
);

const sources: Partial<Record<keyof Messaging, ReturnType<typeof optionSource>>> = {
  initial_message_document_prompt_id: optionSource({ resource: documentPrompts, labelOf: (one) => one.name }),
  initial_message_prepared_message_id: optionSource({ resource: preparedMessages, labelOf: (one) => one.name }),
};

/** List the settings, named as on the page; system defaults are marked as such. */
export function describeSettings(settings: Settings): DocumentField[] {
  const { config } = settings;
  const isOn = (value: boolean) => (value ? t('On') : t('Off'));
  return [
    { label: t('Name'), value: settings.name },
    { label: t('Active'), value: isOn(settings.is_active) },
    { label: t('Time zone'), value: zoneName(settings.timezone) },
    { label: t('Bot replies'), value: settings.reply_hours === 'any' ? t('At any time') : t('In working hours') },
    { label: handOverLabels.hand_over, value: isOn(settings.hand_over) },
    { label: handOverLabels.hand_over_text, value: settings.hand_over_text, isText: true },
    { label: handOverLabels.target_minutes, value: String(settings.target_minutes) },
    { label: handOverLabels.return_to_bot_hours, value: String(settings.return_to_bot_hours ?? 0) },
    { label: handOverLabels.round_robin, value: isOn(settings.round_robin) },
    { label: handOverLabels.bot_reads_notes, value: isOn(settings.bot_reads_notes) },
    { label: t('Leads expire after, hours'), value: String(config.lead_expires_in_hours) },
    { label: t('Changes of prompts'), value: gateLabels[config.gate] },
    ...purposes.flatMap((purpose) => {
      const own = ownModel(config, purpose);
      const field = (label: string, value: string | null) => ({
        label: `${purposeTitles()[purpose]} · ${label}`,
        value: own === null ? t('DEFAULT') : (value ?? ''),
      });
      return [
        field(t('Vendor'), own?.vendor ?? null),
        field(t('Model'), own?.model ?? null),
        field(t('Temperature'), String(own?.temperature)),
      ];
    }),
    ...messagingKeys.map((key): DocumentField => {
      const label = messagingLabels[key];
      if (config.messaging_config === null) return { label, value: t('DEFAULT') };
      const source = sources[key];
      const value = String(config.messaging_config[key] ?? '');
      return { label, value, isText: key === 'initial_message_text', ...(source ? { source } : {}) };
    }),
  ];
}

const messagingKeys: readonly (keyof Messaging)[] = [
  'tg_daily_limit',
  'whatsapp_daily_limit',
  'add_interval_seconds',
  'add_interval_jitter_seconds',
  'initial_message_send_at',
  'initial_message_document_prompt_id',
  'initial_message_prepared_message_id',
  'initial_message_text',
];
