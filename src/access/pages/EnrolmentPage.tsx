/** Page for an operator who must add a second factor first. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { t } from '../../ui/i18n.ts';
import { setTitle } from '../../ui/title.ts';
import classes from './LoginPage.module.css';
import { TwoFactor } from './TwoFactor.tsx';

interface EnrolmentPageProps {
  onAdded: () => void;
  onLeave: () => void;
}

export default function EnrolmentPage({ onAdded, onLeave }: EnrolmentPageProps) {
  useEffect(() => {
    setTitle(t('Set up two-factor sign-in'));
  }, []);
  return (
    <main className={classes.page}>
      <Stack gap="md" maw="48rem" p="md">
        <Group justify="space-between">
          <Title order={1}>{t('Set up two-factor sign-in')}</Title>
          <Button variant="default" onClick={onLeave}>
            {t('Log out')}
          </Button>
        </Group>
        <Text>{t('This installation requires a second factor. Add one to continue.')}</Text>
        <TwoFactor onAdded={onAdded} />
      </Stack>
    </main>
  );
}
