import { expect, test, vi } from 'vitest';
import { checkPageContext } from '../ui/pageContext.ts';
import { accessiblePages, consoleTools } from './consoleTools.ts';
import { pages } from './registry.ts';

const company = { id: 1, name: 'Demo' };
const product = { id: 2, name: 'Kitchens', timezone: 'UTC' };

function at(role: 'admin' | 'member', chosen: { company: typeof company | null; product: typeof product | null }) {
  const opened: unknown[] = [];
  const go = (...where: unknown[]) => void opened.push(where);
  const tools = consoleTools({ go }, { operator: { id: 1, login: 'ada', role }, ...chosen });
  const open = (args: Record<string, unknown>) => tools.handlers['open_page']?.call(args);
  return { tools, gone: opened, open };
}

test('opens every page with its parameters', async () => {
  const { tools, gone: opened, open } = at('admin', { company, product });
  expect(checkPageContext({ description: 'Any page', summary: '', ...tools })).toBeNull();
  expect(tools.tools.every((tool) => tool.description.length < 4000)).toBe(true);
  for (const { key } of pages) await open({ page: key });
  expect(opened).toEqual(pages.map(({ key }) => [key, {}]));
  await open({ page: 'lead-detail', params: { leadId: 7, page: 'channels' } });
  expect(opened.at(-1)).toEqual(['lead-detail', { leadId: 7 }]);
});

test('refuses pages that the role lacks, do not exist, or need a product', async () => {
  const member = at('member', { company, product });
  for (const page of ['channels', 'crm-companies', 'crm-products', 'nowhere'])
    await expect(member.open({ page })).rejects.toThrow('The arguments do not fit');
  expect(member.gone).toEqual([]);
  expect(accessiblePages('member').some((page) => page.key === 'crm-leads')).toBe(true);
  const nowhere = at('admin', { company: null, product: null });
  await expect(nowhere.open({ page: 'crm-leads' })).rejects.toThrow('No Product Selected');
  await expect(nowhere.open({ page: 'crm-integrations' })).rejects.toThrow('No Company Selected');
  await nowhere.open({ page: 'channels' });
  expect(nowhere.gone).toEqual([['channels', {}]]);
});

test('finds guide pages by topic and beside each page', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () =>
    Response.json({ items: [], total: 0, page: 1, limit: 6 }),
  );
  const { tools } = at('admin', { company, product });
  const find = (text: string) => tools.handlers['find']?.call({ text });
  expect(await find('amocrm')).toMatchObject({ guide: [{ title: 'amoCRM', address: '/guide/amocrm' }] });
  expect(await find('ping')).toMatchObject({
    pages: [{ page: 'settings-ping', guide: '/guide/outreach#follow-ups' }],
    guide: [],
  });
});
