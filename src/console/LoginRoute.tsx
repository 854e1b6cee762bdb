import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { LoginPage } from '../access/pages/LoginPage.tsx';
import { installation } from '../platform/installationContract.ts';
import { t } from '../ui/i18n.ts';
import { Notice } from '../ui/Notice.tsx';
import { useEndpoint } from '../ui/query.ts';
import { returnAddress } from './returnAddress.ts';
import { startSession, useSession } from './session.ts';

/** The login page. Operators who are already signed in continue to the requested page. */
export function LoginRoute() {
  const { history } = useRouter();
  const session = useSession();
  const signedIn = session.state === 'in';
  // Load the installation info along with the session and wait for it, so that the page appears complete.
  const installationInfo = useEndpoint(installation, {}, { staleTime: Number.POSITIVE_INFINITY });
  useEffect(() => {
    if (signedIn) history.replace(returnAddress(history.location.search));
  }, [signedIn, history]);
  if (session.state === 'checking' || (installationInfo.isPending && !signedIn))
    return <Notice title={t('Checking authentication...')} order={1} />;
  if (signedIn) return <Notice title={t('Loading')} order={1} />;
  return <LoginPage onSignedIn={startSession} />;
}
