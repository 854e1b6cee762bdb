/** The operator's own account: two-factor sign-in, password, sessions and alerts. */
import { Button, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { alertTools } from '../../desk/pages/shared/alertTools.ts';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { usePageContext } from '../../ui/pageContext.ts';
import { pageTools } from '../../ui/pageTool.ts';
import { Section } from '../../ui/Section.tsx';
import classes from './account.module.css';
import { OwnSessions } from './OwnSessions.tsx';
import { TwoFactor } from './TwoFactor.tsx';

const AlertSettings = lazy(() => import('../../desk/pages/shared/AlertSettings.tsx'));
const OwnPassword = lazy(() => import('./OwnPassword.tsx'));

export default function AccountPage() {
  usePageContext({
    description: t('The operator’s own account: two-factor sign-in, password, open sessions and alerts.'),
    summary: t('The assistant sees and changes alerts only.'),
    ...pageTools(...alertTools()),
  });
  return (
    <PageFrame title={t('Account')}>
      <Stack gap="md" maw="48rem">
        <Suspense>
          <AlertSettings />
        </Suspense>
        <TwoFactor />
        <Password />
        <OwnSessions />
      </Stack>
    </PageFrame>
  );
}

function Password() {
  const [changing, setChanging] = useState(false);
  return (
    <Section title={t('Password')}>
      <div className={classes.row}>
        <Text size="sm" c="dimmed">
          {t('Changing it ends your other sessions.')}
        </Text>
        <Button variant="default" onClick={() => setChanging(true)}>
          {t('Change password')}
        </Button>
      </div>
      <Suspense>{changing && <OwnPassword onClose={() => setChanging(false)} />}</Suspense>
    </Section>
  );
}
