import { expect, it, vi } from 'vitest';
import { checkPageContext } from '../../ui/pageContext.ts';
import { dashboardContext } from './figures.ts';

it('the dashboard tells the assistant of the admin user role', () => {
  const context = dashboardContext({ go: vi.fn() }, { id: 1, name: 'Kitchens' }, undefined);
  expect(checkPageContext(context)).toBeNull();
  expect(JSON.parse(context.summary)).toMatchObject({
    product: { id: 1, name: 'Kitchens' },
    user_roles: { admin: expect.any(String) },
  });
});
