/** The guide's pages, as the product shows them. */

import type { PageCheck } from './pageCheck.ts';
import { expectPage } from './signIn.ts';

export const guidePageChecks: readonly PageCheck[] = [
  {
    name: 'guide',
    page: null,
    address: () => '/guide/',
    readyWhen: (page) => page.getByRole('heading', { name: 'Rapport guide', level: 1 }),
    act: async (page) => {
      await page.getByRole('searchbox', { name: 'Search the guide' }).fill('daily limit');
      await expectPage(page.getByRole('list', { name: 'Found' }).getByRole('link').first()).toBeVisible();
    },
  },
  {
    name: 'guide-channels',
    page: null,
    address: () => '/guide/channels#what-the-session-says',
    readyWhen: (page) => page.getByRole('heading', { name: 'What the session says' }),
  },
];
