/** The guide's pages, as the product shows them. */
import { see } from './signIn.ts';
import type { Visit } from './visit.ts';

export const guideVisits: readonly Visit[] = [
  {
    name: 'guide',
    page: null,
    address: () => '/guide/',
    shows: (page) => page.getByRole('heading', { name: 'Rapport guide', level: 1 }),
    act: async (page) => {
      await page.getByRole('searchbox', { name: 'Search the guide' }).fill('daily limit');
      await see(page.getByRole('list', { name: 'Found' }).getByRole('link').first()).toBeVisible();
    },
  },
  {
    name: 'guide-channels',
    page: null,
    address: () => '/guide/channels#what-the-session-says',
    shows: (page) => page.getByRole('heading', { name: 'What the session says' }),
  },
];
