/** The login page: a document of its own, without the console and its schemas. */
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { OperatorSelf } from '../access/contract.ts';
import { LoginPage } from '../access/pages/LoginPage.tsx';
import { type Installation, readInstallation, readOperator } from '../access/pages/signInCalls.ts';
import { ApiError } from '../ui/api.ts';
import { t } from '../ui/i18n.ts';
import { Notice } from '../ui/Notice.tsx';
import { trackActivity } from '../ui/operatorActivity.ts';
import { ThemeProvider } from '../ui/ThemeProvider.tsx';
import { returnAddress } from './returnAddress.ts';
import { EXPIRED_MARK, recordSignIn, SIGNED_IN_KEY, takeExpiryNotice } from './sessionRecord.ts';

const CHECK_UNREACHABLE_EVERY_MS = 3000;

/** Continue to the requested page. */
function enterConsole(operator: OperatorSelf): void {
  recordSignIn(operator);
  window.location.replace(returnAddress(window.location.search));
}

/** Return whether an operator is signed in, who then continues to the requested page. */
async function continueIfSignedIn(): Promise<boolean> {
  const operator = await readOperator();
  if (operator !== null) enterConsole(operator);
  return operator !== null;
}

/**
 * `isExpired`: the console got a 401. The page then waits for the operator: if the session is valid after all, going
 * back by itself would meet the same 401 again, endlessly.
 */
function Login({ isExpired }: { isExpired: boolean }) {
  const [isChecked, setChecked] = useState(false);
  const [installation, setInstallation] = useState<Installation | null>(null);
  useEffect(() => {
    let retryTimer: ReturnType<typeof setTimeout> | undefined;
    // Read the installation along with the session and wait for both, so that the page appears complete.
    const check = async (): Promise<void> => {
      const reading = readInstallation().then(setInstallation);
      try {
        if (!isExpired && (await continueIfSignedIn())) return;
        await reading;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        retryTimer = setTimeout(() => void check(), CHECK_UNREACHABLE_EVERY_MS);
      } finally {
        await reading.catch(() => undefined);
      }
      setChecked(true);
    };
    // Another tab has signed in.
    const onStorage = ({ key, newValue }: StorageEvent): void => {
      if (key === SIGNED_IN_KEY && newValue !== null && newValue !== EXPIRED_MARK)
        void continueIfSignedIn().catch(() => undefined);
    };
    window.addEventListener('storage', onStorage);
    void check();
    return () => {
      window.removeEventListener('storage', onStorage);
      clearTimeout(retryTimer);
    };
  }, [isExpired]);
  if (!isChecked) return <Notice title={t('Checking authentication...')} order={1} />;
  return <LoginPage installation={installation} isExpired={isExpired} onSignedIn={enterConsole} />;
}

trackActivity();
const isExpired = takeExpiryNotice();
const root = document.getElementById('root');
if (root === null) throw new Error('login.html has no #root');
createRoot(root).render(
  <StrictMode>
    <ThemeProvider>
      <Login isExpired={isExpired} />
    </ThemeProvider>
  </StrictMode>,
);
