/** Sign-in page. In the sandbox it names the demo operator and fills in their login. */
import { Alert, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, lazy, Suspense, useEffect, useState } from 'react';
import { ApiError } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { setTitle } from '../../ui/title.ts';
import type { OperatorSelf, SecondFactorDue } from '../contract.ts';
import classes from './LoginPage.module.css';
import { type Installation, logIn } from './signInCalls.ts';

// Loaded on demand: few need it, and it includes the passkey library.
const SecondStep = lazy(() => import('./SecondStep.tsx'));

type Attempt = () => Promise<OperatorSelf | SecondFactorDue>;

interface LoginPageProps {
  /** Null if it could not be read. */
  installation: Installation | null;
  /** Whether the operator is here because the session has expired. */
  isExpired: boolean;
  onSignedIn: (operator: OperatorSelf) => void;
}

export function LoginPage({ installation, isExpired, onSignedIn }: LoginPageProps) {
  const [typed, setTyped] = useState<Typed>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [due, setDue] = useState<SecondFactorDue | null>(null);

  useEffect(() => {
    setTitle(t('Log in'));
  }, []);

  async function attempt(work: Attempt) {
    setBusy(true);
    setFailure(null);
    try {
      const answer = await work();
      if ('id' in answer) return onSignedIn(answer);
      setDue(answer);
    } catch (error) {
      setFailure(sentenceOf(error));
    }
    setBusy(false);
  }

  return (
    <main className={classes.page}>
      <Paper className={classes.card} withBorder p="xl">
        <Stack gap="md">
          <div>
            <Title order={1}>{t('Rapport')}</Title>
            <Text c="dimmed">{due ? t('Confirm your identity') : t('Log in to your console')}</Text>
          </div>
          {isExpired && failure === null && due === null && (
            <Alert color="red" role="alert">
              {t('Session expired - redirecting to login')}
            </Alert>
          )}
          {failure !== null && (
            <Alert color="red" role="alert">
              {failure}
            </Alert>
          )}
          {due ? (
            <Suspense>
              <SecondStep
                kinds={due.second_factors}
                attempt={(work) => void attempt(work)}
                busy={busy}
                onBack={() => {
                  setDue(null);
                  setFailure(null);
                }}
              />
            </Suspense>
          ) : (
            <LoginForm
              installation={installation}
              typed={typed}
              onType={setTyped}
              busy={busy}
              attempt={(work) => void attempt(work)}
            />
          )}
        </Stack>
      </Paper>
    </main>
  );
}

interface Typed {
  login?: string;
  password?: string;
}

interface LoginFormProps {
  installation: Installation | null;
  typed: Typed;
  onType: (typed: Typed) => void;
  busy: boolean;
  attempt: (work: Attempt) => void;
}

function LoginForm({ installation: place, typed, onType, busy, attempt }: LoginFormProps) {
  const demo = place?.sandbox === true && place.demo_login !== null;
  const values = {
    login: typed.login ?? place?.demo_login ?? '',
    password: typed.password ?? place?.demo_password ?? '',
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt(() => logIn(values));
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={t('Login')}
          name="login"
          autoComplete="username"
          autoFocus
          value={values.login}
          onChange={(event) => onType({ ...typed, login: event.currentTarget.value })}
        />
        <PasswordInput
          label={t('Password')}
          name="password"
          autoComplete="current-password"
          value={values.password}
          onChange={(event) => onType({ ...typed, password: event.currentTarget.value })}
          visibilityToggleButtonProps={{ 'aria-label': t('Show or hide the password'), tabIndex: 0 }}
        />
        <Button type="submit" loading={busy} disabled={values.login === '' || values.password === ''} fullWidth>
          {t('Log in')}
        </Button>
        {place?.sandbox === true && place.demo_login === null && (
          <Text size="xs" c="dimmed" ta="center">
            {t('This sandbox has no demo. Add the first operator on its server: npm run operator -- add LOGIN')}
          </Text>
        )}
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
  );
}

/** Return the server's own text, or the login page's sentence if the server could not be reached. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  return error.status === 0 ? t('Network error during login') : error.message;
}
