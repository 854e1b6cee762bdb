import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Notice } from '../kit/Notice.tsx';
import { useEndpoint } from '../kit/query.ts';
import { t } from '../kit/t.ts';
import { LoginPage } from '../operators/pages/LoginPage.tsx';
import { installation } from '../sandbox/contract.ts';
import { enter, useSession } from './session.ts';
import { wantedAddress } from './wanted.ts';

/** The login page, for those who are not signed in; the others go on to what they wanted. */
export function LoginRoute() {
  const { history } = useRouter();
  const session = useSession();
  const signedIn = session.state === 'in';
  // Asked for along with the session, and waited for: the page that comes is whole.
  const place = useEndpoint(installation, {}, { staleTime: Number.POSITIVE_INFINITY });
  useEffect(() => {
    if (signedIn) history.replace(wantedAddress(history.location.search));
  }, [signedIn, history]);
  if (session.state === 'checking' || (place.isPending && !signedIn))
    return <Notice title={t('Checking authentication...')} order={1} />;
  if (signedIn) return <Notice title={t('Loading')} order={1} />;
  return <LoginPage onSignedIn={enter} />;
}
