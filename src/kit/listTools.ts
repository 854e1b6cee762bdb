/** What the assistant may do with any list: search, narrow and order it, as the operator could. */
import type { Filter } from './filter.ts';
import { type ListShape, readListState, writeListState } from './listState.ts';
import type { PageParams } from './page.ts';
import type { PageContext } from './pageContext.ts';
import { t } from './t.ts';

type Shape = Pick<ListShape, 'orderBy' | 'searchable'>;

/** @param setParams changes the address; @param params what stands in it now. */
export function listTools(
  entity: string,
  shape: Shape,
  filters: readonly Filter[],
  params: Readonly<Record<string, string>>,
  setParams: (changed: PageParams) => void,
): Required<Pick<PageContext, 'tools' | 'handlers'>> {
  const properties = {
    ...(shape.searchable ? { search: { type: 'string' } } : {}),
    ...Object.fromEntries(filters.flatMap(propertiesOf)),
    order_by: { enum: shape.orderBy },
    order: { enum: ['asc', 'desc'] },
  };
  return {
    tools: [
      {
        name: 'show_list',
        description: t('Searches, narrows and orders the list of {{entity}}; what is left out is taken off.', {
          entity,
        }),
        parameters: { type: 'object', properties },
      },
    ],
    handlers: {
      show_list: {
        call: async (args) => {
          setParams(wanted(args, shape, filters, params));
          return { status: 'shown' };
        },
      },
    },
  };
}

/** The address for what is wished; what the list does not know is left out. */
function wanted(
  args: Readonly<Record<string, unknown>>,
  shape: Shape,
  filters: readonly Filter[],
  params: Readonly<Record<string, string>>,
): PageParams {
  const { search, order_by: by, order } = args;
  const names = filters.flatMap((filter) => propertiesOf(filter).map(([name]) => name));
  const whole: ListShape = { ...shape, filters: names };
  const known = typeof by === 'string' && shape.orderBy.includes(by);
  const sort = known ? `${order === 'asc' ? '' : '-'}${by}` : undefined;
  const asAddress: Record<string, string | undefined> = {
    list_size: params['list_size'],
    search: typeof search === 'string' ? search : undefined,
    sort,
    ...Object.fromEntries(names.map((name) => [name, inAddress(args[name])])),
  };
  return writeListState(readListState(asAddress, whole), whole);
}

function inAddress(value: unknown): string | undefined {
  const values = (Array.isArray(value) ? value : [value]).filter((one) =>
    ['string', 'number', 'boolean'].includes(typeof one),
  );
  return values.length === 0 ? undefined : values.join(',');
}

function propertiesOf(filter: Filter): [string, Readonly<Record<string, unknown>>][] {
  switch (filter.kind) {
    case 'options': {
      const items = { enum: filter.options.map(({ value }) => value) };
      return [[filter.name, { type: 'array', items, description: filter.label }]];
    }
    case 'source':
      return [[filter.name, { type: 'array', items: { type: 'integer' }, description: filter.label }]];
    case 'created':
      return (['created_from', 'created_to'] as const).map((name) => [name, { type: 'string', format: 'date' }]);
    default:
      return filter satisfies never;
  }
}
