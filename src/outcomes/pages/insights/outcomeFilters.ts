/** Filters of attempts, for Insights and for the list of attempts. Their parameters are those of the API. */
import { channelTypes } from '../../../channels/contract.ts';
import type { Filter } from '../../../ui/filter.ts';
import type { Option } from '../../../ui/form.ts';
import { t } from '../../../ui/i18n.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import {
  type Dimension,
  type FunnelOfValue,
  type OutcomeFilter,
  reachable,
  readOutcomesBy,
  sources,
} from '../../outcomeContract.ts';

/** Milliseconds for which the offered values may be older than the attempts. */
const FRESH_MS = 60_000;

const MESSENGERS = { whatsapp: 'WhatsApp', telegram: 'Telegram' } as const;

export const SOURCE_LABELS: Readonly<Record<(typeof sources)[number], string>> = {
  import: 'Import',
  crm: 'CRM',
  inbound: 'Wrote first',
  api: 'Created by hand or API',
};

export const REACHED_LABELS: Readonly<Record<(typeof reachable)[number], string>> = {
  written: 'Written',
  delivered: 'Delivered',
  read: 'Read',
  answered: 'Answered',
  qualified: 'Qualified',
  success: 'Success',
  refused: 'Refused',
  ignored: 'Ignored',
  failed: 'Failed',
  opted_out: 'Opted out',
  handed_over: 'Handed over',
};

const OUTCOMES = { success: 'Success', refused: 'Refused', ignore: 'Ignored', failed: 'Failed' } as const;

const MISSING = {
  first_text: 'First text',
  prompt_version: 'Prompt',
  last_prompt_version: 'Last prompt',
  model: 'Model',
  language: 'Language',
  operator: 'Operator',
  outcome: 'Outcome (still open)',
  ended_by: 'Who ended it',
  refusal_reason: 'Reason of the refusal',
  import: 'Import',
  arm: 'Experiment',
} as const satisfies Record<NonNullable<OutcomeFilter['without']>[number], string>;

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const optionsOf = (labels: Readonly<Record<string, string>>): Option[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label: t(label) }));

/** Read the values that the product's attempts have in a dimension. */
function useValues(dimension: Dimension): readonly FunnelOfValue[] {
  const productId = useScope().product?.id ?? 0;
  const args = { params: { dimension }, query: { product_id: productId } };
  const { data } = useEndpoint(readOutcomesBy, args, { enabled: productId !== 0, staleTime: FRESH_MS });
  return (data?.items ?? []).filter(({ value }) => value !== null);
}

const plainOptions = (values: readonly FunnelOfValue[]): Option[] =>
  values.map(({ value, label }) => ({ value: String(value), label }));

/** The option of a value that several parameters name. */
const choicesOf = (values: readonly FunnelOfValue[]) =>
  values.map(({ label, filter: { product_id: _product, ...filter } }) => ({
    label,
    values: Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, [value].flat().map(String)])),
  }));

/** Return the filters, with the values that the chosen product's attempts have. */
export function useOutcomeFilters(): Filter[] {
  const [channels, texts, prompts] = [useValues('channel'), useValues('first_text'), useValues('prompt_version')];
  const [models, operators, languages] = [useValues('model'), useValues('operator'), useValues('language')];
  return [
    {
      kind: 'options',
      name: 'messenger',
      label: t('Messenger'),
      options: channelTypes.map((value) => ({ value, label: MESSENGERS[value] })),
    },
    { kind: 'options', name: 'channel_id', label: t('Channel'), options: plainOptions(channels) },
    { kind: 'options', name: 'source', label: t('Source'), options: optionsOf(SOURCE_LABELS) },
    {
      kind: 'choice',
      names: ['prepared_message_id', 'text_prompt_id', 'text_prompt_version'],
      label: t('First text'),
      options: choicesOf(texts),
    },
    { kind: 'choice', names: ['prompt_id', 'prompt_version'], label: t('Prompt version'), options: choicesOf(prompts) },
    { kind: 'options', name: 'model', label: t('Model'), options: plainOptions(models) },
    { kind: 'options', name: 'operator', label: t('Operator'), options: plainOptions(operators) },
    { kind: 'options', name: 'language', label: t('Language'), options: plainOptions(languages) },
    ...rareFilters(),
  ];
}

/** Filters that numbers set when they are opened. */
function rareFilters(): Filter[] {
  const hours = Array.from({ length: 24 }, (_none, hour) => ({
    value: String(hour),
    label: `${String(hour).padStart(2, '0')}:00`,
  }));
  const filters: Filter[] = [
    { kind: 'options', name: 'reached', label: t('Reached'), options: optionsOf(REACHED_LABELS) },
    { kind: 'options', name: 'outcome', label: t('Outcome'), options: optionsOf(OUTCOMES) },
    { kind: 'text', name: 'step', label: t('Follow-up sent'), digits: true },
    { kind: 'text', name: 'step_answered', label: t('Follow-up answered'), digits: true },
    { kind: 'text', name: 'step_opted_out', label: t('Opted out after follow-up'), digits: true },
    { kind: 'options', name: 'hour', label: t('Hour'), options: hours },
    {
      kind: 'options',
      name: 'weekday',
      label: t('Weekday'),
      options: WEEKDAYS.map((label, index) => ({ value: String(index + 1), label: t(label) })),
    },
    {
      kind: 'options',
      name: 'started_by',
      label: t('Who wrote first'),
      options: optionsOf({ us: 'Us', lead: 'Lead' }),
    },
    {
      kind: 'choice',
      names: ['last_prompt_id', 'last_prompt_version'],
      label: t('Last prompt version'),
      options: [],
    },
    { kind: 'text', name: 'last_model', label: t('Last model') },
    { kind: 'text', name: 'import_id', label: t('Import'), digits: true },
    { kind: 'text', name: 'lead_id', label: t('Lead'), digits: true },
    { kind: 'text', name: 'dialogue_id', label: t('Dialogue'), digits: true },
    { kind: 'text', name: 'ended_by', label: t('Ended by') },
    {
      kind: 'options',
      name: 'refusal',
      label: t('Refusal'),
      options: optionsOf({ opted_out: 'Opted out', refused: 'Refused' }),
    },
    { kind: 'text', name: 'refusal_reason', label: t('Reason of the refusal') },
    {
      kind: 'options',
      name: 'response',
      label: t('Answer after hand-over'),
      options: optionsOf({ operator: 'An operator', phone: 'From a phone', none: 'Nobody' }),
    },
    { kind: 'text', name: 'responder', label: t('Who answered after hand-over') },
    { kind: 'text', name: 'run', label: t('Run of a model') },
    { kind: 'text', name: 'experiment_id', label: t('Experiment'), digits: true },
    { kind: 'options', name: 'arm', label: t('Arm'), options: optionsOf({ 0: 'A', 1: 'B', 2: 'C', 3: 'D' }) },
    {
      kind: 'options',
      name: 'experiment_result',
      label: t('Experiment result'),
      options: optionsOf({ finished: 'Days are over', succeeded: 'Metric reached in time' }),
    },
    { kind: 'options', name: 'without', label: t('Without'), options: optionsOf(MISSING) },
  ];
  return filters.map((filter) => ({ ...filter, more: true }));
}
