import { Button } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { Notice } from '../kit/Notice.tsx';
import { t } from '../kit/t.ts';
import type { OperatorSelf } from '../operators/contract.ts';
import { IdentityDialog } from '../operators/pages/IdentityDialog.tsx';
import { ScopeProvider } from './ScopeProvider.tsx';
import { Shell } from './Shell.tsx';
import { checkSession, leave, useSession } from './session.ts';

import { loginAddress } from './wanted.ts';

const ChoosePasswordPage = lazy(() => import('../operators/pages/ChoosePasswordPage.tsx'));
const EnrolmentPage = lazy(() => import('../operators/pages/EnrolmentPage.tsx'));

/** The console, for those who are signed in; the others go to the login page and come back to what they wanted. */
export function ConsoleRoute() {
  const { history } = useRouter();
  const session = useSession();
  const out = session.state === 'out';
  const left = out && session.left;
  useEffect(() => {
    if (out) history.replace(left ? '/auth/login' : loginAddress(history.location.href));
  }, [out, left, history]);
  switch (session.state) {
    case 'checking':
      if (session.known === null) return <Notice title={t('Checking authentication...')} order={1} />;
      return frame(session.known, t('Checking authentication...'));
    case 'out':
      return <Notice title={t('Redirecting to login')} order={1} />;
    case 'unreachable':
      return (
        <Notice
          title={session.error.title}
          text={session.error.sentence}
          order={1}
          action={<Button onClick={() => void checkSession()}>{t('Retry')}</Button>}
        />
      );
    case 'in':
      if (session.operator.password_change_due) return <PasswordChoice operator={session.operator} />;
      if (session.operator.second_factor_missing) return <Enrolment />;
      return frame(session.operator, null);
    default:
      return session satisfies never;
  }
}

/**
 * The same element in both states: what is drawn while the session is checked stays. Of another operator it is another
 * element, so that nothing the former one typed is left on the screen, or kept as a draft of the latter.
 */
function frame(operator: OperatorSelf, checking: string | null) {
  return (
    <ScopeProvider key={operator.id} operator={operator} checking={checking}>
      <Shell />
      <IdentityDialog operator={operator} />
    </ScopeProvider>
  );
}

/** Nothing else is open until a password that somebody else has set is replaced. */
function PasswordChoice({ operator }: { operator: OperatorSelf }) {
  return (
    <Suspense fallback={<Notice title={t('Loading')} order={1} />}>
      <ChoosePasswordPage operator={operator} onChosen={() => void checkSession()} onLeave={() => void leave()} />
    </Suspense>
  );
}

/** Nothing else is open until the required second factor is there. */
function Enrolment() {
  const session = useSession();
  if (session.state !== 'in') return null;
  return (
    <Suspense fallback={<Notice title={t('Loading')} order={1} />}>
      <EnrolmentPage onAdded={() => void checkSession()} onLeave={() => void leave()} />
      <IdentityDialog operator={session.operator} />
    </Suspense>
  );
}
