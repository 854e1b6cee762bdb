/** Labels for the field names of rows and of assistant tool calls. Pure. */
import { formatDateTime } from './format.ts';
import { t } from './i18n.ts';

/** Field names whose label is not the name itself. */
const FIELD_LABELS: Readonly<Record<string, string>> = {
  crm_fields: 'Fields',
  crm_id: 'CRM card',
  contact: 'Address',
  contact_type: 'Messenger',
  contact_id: 'Contact',
  is_main: 'Main',
  is_active: 'Active',
  is_enabled: 'On',
  is_follow_up: 'Follow-up',
  rag_description: 'When the AI should use this',
  group_id: 'Group',
  timezone: 'Time zone',
  recognized_deactivation_request: 'Opted out',
  owner: 'Answers',
  owner_reason: 'Taken over by',
  no_answer: 'No answer',
  quiet_reason: 'No answer needed',
  lead_id: 'Lead',
  product_id: 'Product',
  company_id: 'Company',
  channel_id: 'Channel',
  dialogue_id: 'Dialogue',
  prompt_id: 'Prompt',
  prepared_message_id: 'Prepared message',
  new_stage: 'Stage',
  update_in_crm: 'Update in CRM',
  api_key: 'API key',
  saved_at: 'Saved',
  created_at: 'Created',
  updated_at: 'Changed',
  scheduled_at: 'Scheduled',
  after_minutes: 'After, minutes',
  steps: 'Steps',
  usd_per_day: 'US dollars per day',
  lead_expires_in_hours: 'Leads expire after, hours',
  models_config: 'Models',
  messaging_config: 'First messages',
  tg_daily_limit: 'Telegram daily limit',
  whatsapp_daily_limit: 'WhatsApp daily limit',
  add_interval_seconds: 'Seconds between first messages',
  initial_message_send_at: 'Send at',
  initial_message_text: 'Initial message text',
  initial_message_prepared_message_id: 'Prepared message',
  initial_message_document_prompt_id: 'Document prompt',
  inbound_enabled: 'Inbound Enabled',
  delay_messages_symbols_per_second: 'Delay (symbols/sec)',
  delay_messages_seconds: 'Delay (seconds)',
  crm_integration: 'CRM integration',
  company_llm: 'LLM credential',
  url: 'Address',
  webhook_id: 'Webhook',
  event_id: 'Event ID',
  llm_price: 'Model price',
  product_channel: 'Channel link',
  ping_config: 'Follow-ups',
};

/** Return the label of a field: `crm_fields` → `Fields`, `initial_message` → `Initial message`. */
export function fieldLabel(name: string): string {
  const customLabel = Object.hasOwn(FIELD_LABELS, name) ? FIELD_LABELS[name] : undefined;
  if (customLabel !== undefined) return t(customLabel);
  const plain = name.replaceAll('_', ' ').trim();
  return plain === '' ? name : plain.charAt(0).toUpperCase() + plain.slice(1);
}

export interface FieldLine {
  readonly path: string;
  /** Label including its parents: `First messages: Send at`. */
  readonly label: string;
  readonly value: string;
}

/** Flatten a row or a tool call's arguments into one line per value. */
export function flattenFields(value: unknown, path: readonly string[] = []): FieldLine[] {
  if (typeof value === 'object' && value !== null && !isPlainList(value)) {
    const entries = Array.isArray(value)
      ? value.map((one, index): [string, unknown] => [String(index + 1), one])
      : Object.entries(value);
    if (entries.length > 0) return entries.flatMap(([name, one]) => flattenFields(one, [...path, name]));
  }
  return [{ path: path.join('.'), label: path.map(fieldLabel).join(': '), value: formatFieldValue(value) }];
}

export interface FieldChange {
  readonly label: string;
  /** Null: the field did not exist before. */
  readonly before: string | null;
  /** Null: the field no longer exists. */
  readonly after: string | null;
}

/** Return the fields that differ, in the order of the row after the change. */
export function diffFields(before: unknown, after: unknown): FieldChange[] {
  const former = new Map((isEmpty(before) ? [] : flattenFields(before)).map((line) => [line.path, line]));
  const now = new Map((isEmpty(after) ? [] : flattenFields(after)).map((line) => [line.path, line]));
  return [...new Map([...now, ...former]).values()]
    .map(({ path, label }) => ({
      label,
      before: former.get(path)?.value ?? null,
      after: now.get(path)?.value ?? null,
    }))
    .filter((line) => line.before !== line.after);
}

const isEmpty = (row: unknown): boolean => row === null || row === undefined;

const isPlainList = (value: object): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one !== 'object' || one === null);

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

function formatFieldValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(formatFieldValue).join(', ');
  if (typeof value === 'object') return '–';
  if (typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value)))
    return formatDateTime(value);
  return String(value);
}
