import { expect, it } from 'vitest';
import type { Filter } from './filter.ts';
import { listTools, rowsForAssistant, rowTools, truncateTexts } from './listTools.ts';
import type { PageParams } from './page.ts';
import { checkPageContext } from './pageContext.ts';
import { pageTools } from './pageTool.ts';

const filters: readonly Filter[] = [
  { kind: 'options', name: 'stage', label: 'Stage', options: [{ value: 'initial', label: 'Initial' }] },
  { kind: 'days', name: 'created', label: 'Created' },
];
const shape = { orderBy: ['id', 'name'], searchable: true } as const;

async function show(args: Record<string, unknown>, params: Record<string, string> = {}): Promise<PageParams> {
  const set: PageParams[] = [];
  const { handlers } = pageTools(
    ...listTools({ entity: 'leads', shape, filters, params, show: async (changed) => set.push(changed) }),
  );
  await handlers['show_list']?.call(args);
  return Object.fromEntries(Object.entries(set[0] ?? {}).filter(([, value]) => value !== undefined));
}

it("declares the list's filters", () => {
  const tools = pageTools(...listTools({ entity: 'leads', shape, filters, params: {}, show: async () => undefined }));
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

it('puts the requested filters into the address, keeps the page size, and removes the rest', async () => {
  const input = { search: 'Anna', stage: ['initial'], created_from: '2026-11-01', order_by: 'name', order: 'asc' };
  expect(await show(input, { list_size: '50', stage: 'failed', list_page: '3' })).toEqual({
    search: 'Anna',
    stage: 'initial',
    created_from: '2026-11-01',
    sort: 'name',
    list_size: '50',
  });
  expect(await show({}, { search: 'x' })).toEqual({});
  for (const unknown of [{ unknown: 1 }, { order_by: 'drop table' }, { stage: ['lost'] }, { created_from: 'today' }])
    await expect(show(unknown)).rejects.toThrow('The arguments do not fit');
});

it('opens a row, and deletes one only where deletion is allowed', async () => {
  const done: string[] = [];
  const rows = {
    singular: 'lead',
    read: async (id: number) => ({ id, name: 'Ada' }),
    nameOf: ({ name }: { name: string }) => name,
    open: ({ id }: { id: number }) => done.push(`opened ${id}`),
    remove: async ({ id }: { id: number }) => done.push(`deleted ${id}`),
  };
  const { tools, handlers } = pageTools(...rowTools(rows));
  expect(tools.map(({ name, confirm, irreversible }) => [name, confirm, irreversible !== undefined])).toEqual([
    ['open_row', undefined, false],
    ['delete_row', true, true],
  ]);
  expect(await handlers['open_row']?.call({ id: 7 })).toEqual({ status: 'opened', id: 7, name: 'Ada' });
  await handlers['delete_row']?.call({ id: 8 });
  await expect(handlers['delete_row']?.call({ id: '9' })).rejects.toThrow('The arguments do not fit');
  expect(done).toEqual(['opened 7', 'deleted 8']);
  expect(rowTools({ ...rows, open: null, remove: null })).toEqual([]);
});

it('summarizes rows without empty fields and with long texts shortened', () => {
  expect(truncateTexts({ id: 1, name: '', reason: null, inner: { text: 'x'.repeat(301) } })).toEqual({
    id: 1,
    inner: { text: `${'x'.repeat(300)}… (301 characters)` },
  });
  const rows = Array.from({ length: 100 }, (_, id) => ({ id, text: 'y'.repeat(250) }));
  const included = rowsForAssistant(rows);
  expect(JSON.stringify(included).length).toBeLessThan(20_500);
  expect(included.rows.length + (included.left_out ?? 0)).toBe(100);
  expect(included.left_out).toBeGreaterThan(0);
  expect(rowsForAssistant(rows.slice(0, 2))).toEqual({ rows: rows.slice(0, 2) });
});
