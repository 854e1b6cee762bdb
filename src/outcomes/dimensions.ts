/** The dimensions by which outcomes are counted: what they group by, and the label and the filter of each value. */
import { formatDay, instantAt, parseDay } from '../platform/days.ts';
import type { Dimension, FunnelOfValue, OutcomeFilter, sources } from './outcomeContract.ts';
import { joinAssignments, localTime, type OutcomeGroup, type OutcomeGrouping, versionOf } from './store/outcomes.ts';

type Value = OutcomeGroup['values'][number];

/** Names of rows by their ids. */
export interface Names {
  readonly prompts: ReadonlyMap<number, string>;
  readonly prepared_messages: ReadonlyMap<number, string>;
  readonly channels: ReadonlyMap<number, string>;
  readonly messengers: ReadonlyMap<number, string>;
  readonly lead_imports: ReadonlyMap<number, string>;
  readonly experiments: ReadonlyMap<number, string>;
  /** By experiment and place: `7:1`. */
  readonly arms: ReadonlyMap<string, string>;
}

interface ValueOfDimension {
  readonly value: FunnelOfValue['value'];
  readonly label: string;
  /** What the filter of the value's rows has besides the request's. */
  readonly filter: Partial<OutcomeFilter>;
}

export interface DimensionRule {
  readonly grouping: Omit<OutcomeGrouping, 'currentFrom'>;
  /** Which ids of a group's values are to be looked up. */
  readonly lookUp?: Partial<Record<Exclude<keyof Names, 'arms'>, (values: readonly Value[]) => Value | undefined>>;
  /** Whether values have an order of their own; otherwise the most frequent come first. */
  readonly isOrdered?: true;
  readonly describe: (values: readonly Value[], names: Names, filter: OutcomeFilter) => ValueOfDimension;
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

type Absent = NonNullable<OutcomeFilter['without']>[number];

/** The rows without a value: they lack this besides what the request says they lack. */
const none = (absent: Absent, filter: OutcomeFilter): ValueOfDimension => ({
  value: null,
  label: 'None',
  filter: { without: [...new Set([...(filter.without ?? []), absent])] },
});

/** A column of texts, whose filter has the same name. */
const textColumn = (field: 'model' | 'language' | 'operator' | 'ended_by'): DimensionRule => ({
  grouping: { of: 'course', columns: [`c.${field}`] },
  describe([value = null], _names, filter) {
    if (value === null) return none(field, filter);
    return { value, label: String(value), filter: { [field]: [String(value)] } };
  },
});

const promptLabel = (id: number, version: Value, names: Names): string =>
  `${names.prompts.get(id) ?? `Prompt ${id}`}${version === 0 ? '' : `, version ${version}`}`;

const promptColumns = (prefix: '' | 'last_'): DimensionRule => ({
  grouping: { of: 'course', columns: [`c.${prefix}prompt_id`, versionOf(`${prefix}prompt`)] },
  lookUp: { prompts: ([id]) => id },
  describe([id = null, version = 0], names, filter) {
    if (id === null) return none(`${prefix}prompt_version`, filter);
    return {
      value: `${id}:${version}`,
      label: promptLabel(Number(id), version, names),
      filter: { [`${prefix}prompt_id`]: [Number(id)], [`${prefix}prompt_version`]: [Number(version)] },
    };
  },
});

const firstText: DimensionRule = {
  grouping: { of: 'origin', columns: ['o.prepared_message_id', 'o.text_prompt_id', versionOf('text_prompt')] },
  lookUp: { prepared_messages: ([id]) => id, prompts: ([, id]) => id },
  describe([preparedId = null, promptId = null, version = 0], names, filter) {
    if (preparedId !== null)
      return {
        value: `prepared_message:${preparedId}`,
        label: names.prepared_messages.get(Number(preparedId)) ?? `Prepared message ${preparedId}`,
        filter: { prepared_message_id: [Number(preparedId)] },
      };
    if (promptId === null) return none('first_text', filter);
    return {
      value: `prompt:${promptId}:${version}`,
      label: promptLabel(Number(promptId), version, names),
      filter: { text_prompt_id: [Number(promptId)], text_prompt_version: [Number(version)] },
    };
  },
};

const channel: DimensionRule = {
  grouping: { of: 'origin', columns: ['o.channel_id'] },
  lookUp: { channels: ([id]) => id },
  describe: ([id = null], { channels }) => ({
    value: id,
    label: channels.get(Number(id)) ?? `Channel ${id}`,
    filter: { channel_id: [Number(id)] },
  }),
};

/** Grouped by channel, which is in the row, and added up afterwards. */
const messenger: DimensionRule = {
  grouping: { of: 'origin', columns: ['o.channel_id'] },
  lookUp: { messengers: ([id]) => id },
  describe([id], { messengers }) {
    const value = messengers.get(Number(id)) ?? '';
    return {
      value,
      label: value === 'whatsapp' ? 'WhatsApp' : 'Telegram',
      filter: { messenger: [value as 'whatsapp'] },
    };
  },
};

const SOURCE_LABELS: Readonly<Record<(typeof sources)[number], string>> = {
  import: 'Import',
  crm: 'CRM',
  inbound: 'Wrote first',
  api: 'Created by hand or API',
};

const source: DimensionRule = {
  grouping: { of: 'origin', columns: ['o.source'] },
  describe([value]) {
    const name = value as (typeof sources)[number];
    return { value: name, label: SOURCE_LABELS[name], filter: { source: [name] } };
  },
};

const leadImport: DimensionRule = {
  grouping: { of: 'origin', columns: ['o.import_id'] },
  lookUp: { lead_imports: ([id]) => id },
  describe([id = null], names, filter) {
    if (id === null) return none('import', filter);
    return {
      value: id,
      label: names.lead_imports.get(Number(id)) ?? `Import ${id}`,
      filter: { import_id: [Number(id)] },
    };
  },
};

/** The arms of experiments, those that the filter speaks of or all. */
const arm = (of: OutcomeFilter): DimensionRule => ({
  grouping: { columns: ['x.experiment_id', 'x.arm'], join: joinAssignments(of) },
  lookUp: { experiments: ([id]) => id },
  describe([id = null, place = null], names, filter) {
    if (id === null || place === null) return none('arm', filter);
    const experiment = names.experiments.get(Number(id)) ?? `Experiment ${id}`;
    return {
      value: `${id}:${place}`,
      label: `${experiment}, ${names.arms.get(`${id}:${place}`) ?? `arm ${Number(place) + 1}`}`,
      filter: { experiment_id: [Number(id)], arm: [Number(place)] },
    };
  },
});

const hour = (zone: string): DimensionRule => ({
  grouping: { columns: [(bind) => localTime('hour', zone, bind)] },
  isOrdered: true,
  describe: ([value]) => ({
    value: Number(value),
    label: `${String(value).padStart(2, '0')}:00`,
    filter: { hour: [Number(value)] },
  }),
});

const weekday = (zone: string): DimensionRule => ({
  grouping: { columns: [(bind) => localTime('weekday', zone, bind)] },
  isOrdered: true,
  describe: ([value]) => ({
    value: Number(value),
    label: WEEKDAYS[Number(value) - 1] ?? '',
    filter: { weekday: [Number(value)] },
  }),
});

const later = (a: string, b: string | undefined): string => (b !== undefined && b > a ? b : a);
const earlier = (a: string, b: string | undefined): string => (b !== undefined && b < a ? b : a);

/** The weeks that begin on these days. An attempt is in the last one that has begun: the same instants as the filter's. */
const week = (zone: string, mondays: readonly number[]): DimensionRule => {
  const starts = mondays.map((day) => new Date(instantAt(zone, day)).toISOString());
  return {
    grouping: { columns: [(bind) => `width_bucket(t.started_at, ${bind(starts)}::timestamptz[])`] },
    isOrdered: true,
    describe([place], _names, { started_from: from, started_to: to }) {
      const first = mondays[Number(place) - 1] ?? parseDay('0001-01-01');
      const value = formatDay(first);
      return {
        value,
        label: value,
        filter: { started_from: later(value, from), started_to: earlier(formatDay(first + 6), to) },
      };
    },
  };
};

/** Return the rule of a dimension. `mondays` are the weeks in which attempts have begun. */
export function dimensionRule(
  dimension: Dimension,
  {
    zone,
    mondays,
    filter,
  }: { readonly zone: string; readonly mondays: readonly number[]; readonly filter: OutcomeFilter },
): DimensionRule {
  switch (dimension) {
    case 'first_text':
      return firstText;
    case 'prompt_version':
      return promptColumns('');
    case 'last_prompt_version':
      return promptColumns('last_');
    case 'model':
    case 'language':
    case 'operator':
    case 'ended_by':
      return textColumn(dimension);
    case 'channel':
      return channel;
    case 'messenger':
      return messenger;
    case 'source':
      return source;
    case 'import':
      return leadImport;
    case 'hour':
      return hour(zone);
    case 'weekday':
      return weekday(zone);
    case 'week':
      return week(zone, mondays);
    case 'arm':
      return arm(filter);
    default:
      return dimension satisfies never;
  }
}
