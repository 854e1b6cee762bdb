import { Button } from '@mantine/core';
import { lazy, Suspense, useEffect } from 'react';
import type { OperatorSelf } from '../access/contract.ts';
import { IdentityDialog } from '../access/pages/IdentityDialog.tsx';
import { ConfirmErrorsDialog } from '../prompts/pages/shared/ConfirmErrorsDialog.tsx';
import { browserHistory } from '../ui/history.ts';
import { t } from '../ui/i18n.ts';
import { Notice } from '../ui/Notice.tsx';
import { loginAddress } from './returnAddress.ts';
import { ScopeProvider } from './ScopeProvider.tsx';
import { Shell } from './Shell.tsx';
import { checkSession, endSession, useSession } from './session.ts';

const ChoosePasswordPage = lazy(() => import('../access/pages/ChoosePasswordPage.tsx'));
const EnrolmentPage = lazy(() => import('../access/pages/EnrolmentPage.tsx'));

/**
 * The console for signed-in operators. Others are sent to the login page and return to the requested page afterwards.
 */
export function ConsoleRoute() {
  const session = useSession();
  const isSignedOut = session.state === 'out';
  const loggedOut = isSignedOut && session.byLogout;
  useEffect(() => {
    // The login page is a document of its own: it loads without the console.
    if (isSignedOut) window.location.replace(loggedOut ? '/auth/login' : loginAddress(browserHistory().location.href));
  }, [isSignedOut, loggedOut]);
  switch (session.state) {
    case 'checking':
      if (session.previousOperator === null) return <Notice title={t('Checking authentication...')} order={1} />;
      return renderShell(session.previousOperator, t('Checking authentication...'));
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
      return renderShell(session.operator, null);
    default:
      return session satisfies never;
  }
}

/**
 * Render the console. The element is the same while the session is checked and after, so the page on screen stays.
 * Another operator gets a new element, so that nothing the previous one typed stays on screen or is stored as the new
 * one's draft.
 */
function renderShell(operator: OperatorSelf, checking: string | null) {
  return (
    <ScopeProvider key={operator.id} operator={operator} checking={checking}>
      <Shell />
      <IdentityDialog operator={operator} />
      <ConfirmErrorsDialog />
    </ScopeProvider>
  );
}

/** Blocks everything else until a password set by someone else is replaced. */
function PasswordChoice({ operator }: { operator: OperatorSelf }) {
  return (
    <Suspense fallback={<Notice title={t('Loading')} order={1} />}>
      <ChoosePasswordPage operator={operator} onChosen={() => void checkSession()} onLeave={() => void endSession()} />
    </Suspense>
  );
}

/** Blocks everything else until the required second factor is set up. */
function Enrolment() {
  const session = useSession();
  if (session.state !== 'in') return null;
  return (
    <Suspense fallback={<Notice title={t('Loading')} order={1} />}>
      <EnrolmentPage onAdded={() => void checkSession()} onLeave={() => void endSession()} />
      <IdentityDialog operator={session.operator} />
    </Suspense>
  );
}
