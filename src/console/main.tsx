/** The console. Its pages are keys in the query string of `/`; every other address here is unknown. */
import '../ui/configureZod.ts';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { browserHistory } from '../ui/history.ts';
import { t } from '../ui/i18n.ts';
import { Notice } from '../ui/Notice.tsx';
import { UiProvider } from '../ui/UiProvider.tsx';
import { ConsoleRoute } from './ConsoleRoute.tsx';
import { prefetchData, preloadCode } from './preload.ts';
import { watchSession } from './session.ts';

/** How long the first frame waits for the session, which was requested with the document. */
const SESSION_WAIT_MS = 50;

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
const reactRoot = createRoot(root);

if (browserHistory().location.pathname === '/') {
  // Before the code: a browser has six connections to a server, and everything waits for the session.
  const checked = watchSession({ onStart: prefetchData });
  preloadCode();
  // Usually it is known by now. Without this the console would be rendered for nobody first.
  void Promise.race([checked, new Promise((resolve) => setTimeout(resolve, SESSION_WAIT_MS))]).finally(() =>
    show(<ConsoleRoute />),
  );
} else {
  show(<Notice title={t('Unknown page')} order={1} action={<a href="/">{t('Start page')}</a>} />);
}

function show(page: ReactNode): void {
  reactRoot.render(
    <StrictMode>
      <UiProvider>{page}</UiProvider>
    </StrictMode>,
  );
}
