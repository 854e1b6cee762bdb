/** The console. Its pages are keys in the query string of `/`; every other address here is unknown. */
import '../ui/configureZod.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { browserHistory } from '../ui/history.ts';
import { t } from '../ui/i18n.ts';
import { Notice } from '../ui/Notice.tsx';
import { UiProvider } from '../ui/UiProvider.tsx';
import { ConsoleRoute } from './ConsoleRoute.tsx';
import { prefetchData, preloadCode } from './preload.ts';
import { watchSession } from './session.ts';

const isConsole = browserHistory().location.pathname === '/';
if (isConsole) {
  // Before the code: a browser has six connections to a server, and everything waits for the session.
  watchSession({ onStart: prefetchData });
  preloadCode();
}

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <UiProvider>
      {isConsole ? (
        <ConsoleRoute />
      ) : (
        <Notice title={t('Unknown page')} order={1} action={<a href="/">{t('Start page')}</a>} />
      )}
    </UiProvider>
  </StrictMode>,
);
