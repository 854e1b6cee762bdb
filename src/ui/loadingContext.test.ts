import { expect, it, vi } from 'vitest';
import { emptyContext, loadingContext } from './loadingContext.ts';
import { checkPageContext } from './pageContext.ts';

it('tells the assistant that a page is loading or failed, and reloads on request', async () => {
  const retry = vi.fn();
  const failed = loadingContext('Settings', new Error('The database does not answer.'), retry);
  expect(checkPageContext(failed)).toBeNull();
  expect(JSON.parse(failed.summary)).toEqual({ state: 'failed to load', reason: 'The database does not answer.' });
  await failed.handlers?.['load_again']?.call({});
  expect(retry).toHaveBeenCalledOnce();
  expect(JSON.parse(loadingContext('Settings', null, retry).summary)).toEqual({ state: 'loading' });
});

it('tells the assistant why a page is empty, and offers another page', async () => {
  const run = vi.fn();
  const goTo = { name: 'go_to_list', title: 'Go to Leads', run };
  const context = emptyContext({ description: 'Lead', state: 'There is no such lead.', goTo });
  expect(checkPageContext(context)).toBeNull();
  expect(context.summary).toContain('There is no such lead.');
  await context.handlers?.['go_to_list']?.call({});
  expect(run).toHaveBeenCalledOnce();
});
