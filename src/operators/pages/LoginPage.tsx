/** Sign-in. In the sandbox it shows the demo operator and has it filled in. */
import { Alert, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { ApiError, call } from '../../kit/api.ts';
import { useEndpoint } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { setTitle } from '../../kit/title.ts';
import { installation } from '../../sandbox/contract.ts';
import { login, type OperatorSelf } from '../contract.ts';
import classes from './LoginPage.module.css';

interface LoginPageProps {
  onSignedIn: (operator: OperatorSelf) => void;
}

export function LoginPage({ onSignedIn }: LoginPageProps) {
  const { data: place } = useEndpoint(installation, {}, { staleTime: Number.POSITIVE_INFINITY });
  const [typed, setTyped] = useState<{ login?: string; password?: string }>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const demo = place?.sandbox === true && place.demo_login !== null;
  const values = {
    login: typed.login ?? place?.demo_login ?? '',
    password: typed.password ?? place?.demo_password ?? '',
  };

  useEffect(() => {
    setTitle(t('Log in'));
  }, []);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      onSignedIn(await call(login, { body: values }));
    } catch (error) {
      setFailure(sentenceOf(error));
      setBusy(false);
    }
  }

  return (
    <main className={classes.page}>
      <Paper className={classes.card} withBorder p="xl">
        <form onSubmit={submit}>
          <Stack gap="md">
            <div>
              <Title order={1}>{t('Rapport')}</Title>
              <Text c="dimmed">{t('Log in to your console')}</Text>
            </div>
            {failure !== null && (
              <Alert color="red" role="alert">
                {failure}
              </Alert>
            )}
            <TextInput
              label={t('Login')}
              name="login"
              autoComplete="username"
              autoFocus
              value={values.login}
              onChange={(event) => setTyped({ ...typed, login: event.currentTarget.value })}
            />
            <PasswordInput
              label={t('Password')}
              name="password"
              autoComplete="current-password"
              value={values.password}
              onChange={(event) => setTyped({ ...typed, password: event.currentTarget.value })}
              visibilityToggleButtonProps={{ 'aria-label': t('Show or hide the password'), tabIndex: 0 }}
            />
            <Button type="submit" loading={busy} disabled={values.login === '' || values.password === ''} fullWidth>
              {t('Log in')}
            </Button>
            {demo && (
              <Text size="xs" c="dimmed" ta="center">
                {t('This is a sandbox: log in as {{login}} with the password {{password}}.', {
                  login: place.demo_login ?? '',
                  password: place.demo_password ?? '',
                })}
              </Text>
            )}
          </Stack>
        </form>
      </Paper>
    </main>
  );
}

/** The server's own text; when it could not be reached, the sentence of the login page. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof ApiError)) throw error;
  return error.status === 0 ? t('Network error during login') : error.message;
}
