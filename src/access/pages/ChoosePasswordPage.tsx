/** Page for an operator whose password was set by somebody else: they must choose a new one first. */
import { Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { setTitle } from '../../ui/title.ts';
import { changeOwnPassword } from '../accountContract.ts';
import { type OperatorSelf, PASSWORD_LENGTH } from '../contract.ts';
import classes from './LoginPage.module.css';

interface ChoosePasswordPageProps {
  operator: OperatorSelf;
  onChosen: () => void;
  onLeave: () => void;
}

export default function ChoosePasswordPage({ operator, onChosen, onLeave }: ChoosePasswordPageProps) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const choosing = useMutation({
    mutationFn: () => call(changeOwnPassword, { body: { current, password } }),
    onSuccess: onChosen,
  });
  useEffect(() => {
    setTitle(t('Choose a password'));
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    choosing.mutate();
  };
  const toggle = { 'aria-label': t('Show or hide the password'), tabIndex: 0 };
  return (
    <main className={classes.page}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md" maw="26rem" p="md">
          <Title order={1}>{t('Choose a password')}</Title>
          <Text>{t('Somebody else has set your password. Choose your own to continue.')}</Text>
          <input type="text" name="login" autoComplete="username" value={operator.login} readOnly hidden />
          <PasswordInput
            label={t('Current password')}
            name="current"
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
            visibilityToggleButtonProps={toggle}
          />
          <PasswordInput
            label={t('New password')}
            description={t('At least {{count}} characters', { count: PASSWORD_LENGTH })}
            name="password"
            autoComplete="new-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            visibilityToggleButtonProps={toggle}
          />
          {choosing.error && <Failure error={choosing.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onLeave}>
              {t('Log out')}
            </Button>
            <Button
              type="submit"
              loading={choosing.isPending}
              disabled={current === '' || password.length < PASSWORD_LENGTH}
            >
              {t('Change password')}
            </Button>
          </Group>
        </Stack>
      </form>
    </main>
  );
}
