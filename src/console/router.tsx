/**
 * The router's two addresses: the login page, and one for the whole console, whose pages are keys in the query string.
 */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { t } from '../ui/i18n.ts';
import { Notice } from '../ui/Notice.tsx';

const root = createRootRoute();
// Each route loads its own code, which is fetched while the session is still being checked.
const loginRoute = createRoute({
  getParentRoute: () => root,
  path: '/auth/login',
  component: lazyRouteComponent(() => import('./LoginRoute.tsx'), 'LoginRoute'),
});
const consoleRoute = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./ConsoleRoute.tsx'), 'ConsoleRoute'),
});

export const router = createRouter({
  routeTree: root.addChildren([loginRoute, consoleRoute]),
  // Parameters are plain text. The router's default would read `leadId=7` as a number and write names as JSON.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const tail = new URLSearchParams(search).toString();
    return tail === '' ? '' : `?${tail}`;
  },
  defaultNotFoundComponent: () => (
    <Notice title={t('Unknown page')} order={1} action={<a href="/">{t('Start page')}</a>} />
  ),
});
