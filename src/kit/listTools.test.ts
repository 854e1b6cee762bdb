import { expect, it } from 'vitest';
import type { Filter } from './filter.ts';
import { listTools } from './listTools.ts';
import type { PageParams } from './page.ts';
import { checkPageContext } from './pageContext.ts';

const filters: readonly Filter[] = [
  { kind: 'options', name: 'stage', label: 'Stage', options: [{ value: 'initial', label: 'Initial' }] },
  { kind: 'created', label: 'Created' },
];
const shape = { orderBy: ['id', 'name'], searchable: true } as const;

async function show(args: Record<string, unknown>, params: Record<string, string> = {}): Promise<PageParams> {
  const set: PageParams[] = [];
  const { handlers } = listTools('leads', shape, filters, params, (changed) => set.push(changed));
  await handlers['show_list']?.call(args);
  return Object.fromEntries(Object.entries(set[0] ?? {}).filter(([, value]) => value !== undefined));
}

it('declares what the list can be narrowed by', () => {
  const tools = listTools('leads', shape, filters, {}, () => undefined);
  expect(checkPageContext({ description: 'Leads', summary: '', ...tools })).toBeNull();
  const [tool] = tools.tools;
  expect(Object.keys(tool?.parameters?.['properties'] ?? {})).toEqual([
    'search',
    'stage',
    'created_from',
    'created_to',
    'order_by',
    'order',
  ]);
});

it('puts the wish into the address, keeps the size of pages, takes everything else off', async () => {
  const wish = { search: 'Anna', stage: ['initial'], created_from: '2026-11-01', order_by: 'name', order: 'asc' };
  expect(await show(wish, { list_size: '50', stage: 'failed', list_page: '3' })).toEqual({
    search: 'Anna',
    stage: 'initial',
    created_from: '2026-11-01',
    sort: 'name',
    list_size: '50',
  });
  expect(await show({ unknown: 1, order_by: 'drop table' }, { search: 'x' })).toEqual({});
});
