/**
 * The assistant's tools for any list: search, filter and order it, open a row and delete one, as the operator could.
 */
import { z } from 'zod';
import { day, uncheckedId } from '../platform/contract.ts';
import { dayParamNames, type Filter } from './filter.ts';
import { t } from './i18n.ts';
import { joinValues, type ListShape, readListState, writeListState } from './listState.ts';
import { pageTool, type ToolWithHandler } from './pageTool.ts';

type ListToolsShape = Pick<ListShape, 'orderBy' | 'searchable'>;

/** @param show changes the address and returns the rows found; @param params the current address parameters. */
export function listTools({
  entity,
  shape,
  filters,
  params,
  show,
}: {
  entity: string;
  shape: ListToolsShape;
  filters: readonly Filter[];
  params: Readonly<Record<string, string>>;
  show: (changed: Readonly<Record<string, string | undefined>>) => Promise<unknown>;
}): ToolWithHandler[] {
  return [
    pageTool({
      name: 'show_list',
      description: t('Searches, narrows and orders the list of {{entity}}; omitted filters are cleared.', { entity }),
      input: inputOf(shape, filters),
      run: (args) => show(addressParams({ args, shape, filters, params })),
    }),
  ];
}

interface RowToolsOptions<T> {
  /** Singular name, as shown to the operator. */
  readonly singular: string;
  readonly read: (id: number) => Promise<T>;
  readonly nameOf: (row: T) => string;
  /** Null: rows cannot be opened. */
  readonly open: ((row: T) => void) | null;
  /** Null: rows cannot be deleted. */
  readonly remove: ((row: T) => Promise<unknown>) | null;
}

const ID_INPUT = z.strictObject({ id: uncheckedId });

/** @param rows how to read, open and delete a row. */
export function rowTools<T>({ singular, read, nameOf, open, remove }: RowToolsOptions<T>): ToolWithHandler[] {
  return [
    ...(open
      ? [
          pageTool({
            name: 'open_row',
            description: t('Opens a {{noun}} by its id.', { noun: singular }),
            input: ID_INPUT,
            run: async ({ id }) => {
              const row = await read(id);
              open(row);
              return { status: 'opened', id, name: nameOf(row) };
            },
          }),
        ]
      : []),
    ...(remove
      ? [
          pageTool({
            name: 'delete_row',
            description: t('Deletes a {{noun}} by its id, with everything that belongs to it.', { noun: singular }),
            input: ID_INPUT,
            confirm: true,
            irreversible: t('Deleted rows cannot be restored.'),
            run: async ({ id }) => {
              const row = await read(id);
              await remove(row);
              return { status: 'deleted', id, name: nameOf(row) };
            },
          }),
        ]
      : []),
  ];
}

/** Schemas by list, so that each is built only once however often the page renders. */
const inputCache = new Map<string, z.ZodObject>();

function inputOf(shape: ListToolsShape, filters: readonly Filter[]): z.ZodObject {
  const key = JSON.stringify([shape, filters.map((filter) => [filter, 'options' in filter ? filter.options : null])]);
  const cached = inputCache.get(key);
  if (cached) return cached;
  const input = z.strictObject({
    ...(shape.searchable ? { search: z.string().max(300).optional() } : {}),
    ...Object.fromEntries(filters.flatMap(fieldsOf)),
    order_by: z.enum(shape.orderBy).optional(),
    order: z.enum(['asc', 'desc']).optional(),
  });
  inputCache.set(key, input);
  return input;
}

/** Build the address parameters for a tool call. */
function addressParams({
  args,
  shape,
  filters,
  params,
}: {
  args: Readonly<Record<string, unknown>>;
  shape: ListToolsShape;
  filters: readonly Filter[];
  params: Readonly<Record<string, string>>;
}): Record<string, string | undefined> {
  const { search, order_by: by, order } = args;
  const names = filters.flatMap((filter) => fieldsOf(filter).map(([name]) => name));
  const whole: ListShape = { ...shape, filters: names };
  const asAddress: Record<string, string | undefined> = {
    list_size: params['list_size'],
    search: typeof search === 'string' ? search : undefined,
    sort: typeof by === 'string' ? `${order === 'asc' ? '' : '-'}${by}` : undefined,
    ...Object.fromEntries(names.map((name) => [name, toAddressValue(args[name])])),
  };
  return writeListState(readListState(asAddress, whole), whole);
}

function toAddressValue(value: unknown): string | undefined {
  const values = (Array.isArray(value) ? value : [value]).filter((one) => one !== undefined);
  return values.length === 0 ? undefined : joinValues(values.map(String));
}

function fieldsOf(filter: Filter): [string, z.ZodType][] {
  switch (filter.kind) {
    case 'options': {
      const values = filter.options.map(({ value }) => value);
      const one = values.length === 0 ? z.string().max(300) : z.enum(values);
      return [[filter.name, z.array(one).optional().describe(filter.label)]];
    }
    case 'source':
      return [[filter.name, z.array(uncheckedId).max(100).optional().describe(filter.label)]];
    case 'choice':
      return filter.names.map((name): [string, z.ZodType] => [
        name,
        z.array(z.string().max(300)).max(100).optional().describe(filter.label),
      ]);
    case 'text': {
      const one = filter.digits ? uncheckedId : z.string().min(1).max(100);
      return [[filter.name, z.array(one).max(100).optional().describe(filter.label)]];
    }
    case 'fields':
      return [
        [
          filter.name,
          z
            .array(
              z
                .string()
                .regex(/^[^=]+=/)
                .max(600),
            )
            .max(20)
            .optional()
            .describe(t('{{label}}: NAME=value, or NAME~=part', { label: filter.label })),
        ],
      ];
    case 'days':
      return dayParamNames(filter.name).map((name): [string, z.ZodType] => [
        name,
        day.optional().describe(t('A day in the product’s time zone')),
      ]);
    default:
      return filter satisfies never;
  }
}

/** Size limit for the rows sent to the assistant, in characters. */
const MAX_ASSISTANT_CHARACTERS = 20_000;
const MAX_TEXT_LENGTH = 300;

/**
 * Prepare rows for the assistant: drop empty fields, shorten long texts, and include as many rows as fit. `left_out`
 * counts the others.
 */
export function rowsForAssistant(
  rows: readonly object[],
  maxCharacters = MAX_ASSISTANT_CHARACTERS,
): { rows: readonly unknown[]; left_out?: number } {
  const included: unknown[] = [];
  let length = 0;
  for (const row of rows) {
    const one = truncateTexts(row);
    length += JSON.stringify(one).length;
    if (length > maxCharacters) return { rows: included, left_out: rows.length - included.length };
    included.push(one);
  }
  return { rows: included };
}

/** Shorten the long texts of a value and drop its empty fields. */
export function truncateTexts(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH)}… (${value.length} characters)` : value;
  if (Array.isArray(value)) return value.map(truncateTexts);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== null && one !== undefined && one !== '');
  return Object.fromEntries(entries.map(([key, one]) => [key, truncateTexts(one)]));
}
