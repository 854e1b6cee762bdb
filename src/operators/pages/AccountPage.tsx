/** One's own account: two-factor sign-in and sessions. */
import { Stack } from '@mantine/core';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { usePageContext } from '../../kit/pageContext.ts';
import { t } from '../../kit/t.ts';
import { OwnSessions } from './OwnSessions.tsx';
import { TwoFactor } from './TwoFactor.tsx';

export default function AccountPage() {
  usePageContext({
    description: t('The operator’s own account: two-factor sign-in and open sessions.'),
    summary: t('What it shows is not told to the assistant.'),
    tools: [],
  });
  return (
    <PageFrame title={t('Account security')}>
      <Stack gap="md" maw="48rem">
        <TwoFactor />
        <OwnSessions />
      </Stack>
    </PageFrame>
  );
}
