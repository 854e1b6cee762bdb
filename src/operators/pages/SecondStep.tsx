/** The second step of a sign-in: a code of the app, a passkey, or a recovery code. */
import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { call } from '../../kit/api.ts';
import { t } from '../../kit/t.ts';
import type { OperatorSelf, SecondFactorDue } from '../contract.ts';
import { askPasskeyAtSignIn, passSecondFactor, type SecondStep as Step } from '../secondFactorContract.ts';
import { signWithPasskey } from './passkey.ts';

type Way = SecondFactorDue['second_factors'][number];

interface SecondStepProps {
  ways: readonly Way[];
  /** Shows that it goes on, and why it failed. */
  attempt: (work: () => Promise<OperatorSelf>) => void;
  busy: boolean;
  onBack: () => void;
}

const WORDS: Readonly<Record<Way, string>> = {
  authenticator: 'Use the authenticator app',
  passkey: 'Use a passkey',
  recovery_code: 'Use a recovery code',
};

export default function SecondStep({ ways, attempt, busy, onBack }: SecondStepProps) {
  const [way, setWay] = useState<Way>(ways.includes('passkey') ? 'passkey' : (ways[0] ?? 'recovery_code'));
  const [typed, setTyped] = useState('');
  const pass = (step: Step) => call(passSecondFactor, { body: step });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt(async () => {
      if (way === 'passkey') return pass({ passkey: await signWithPasskey(await call(askPasskeyAtSignIn)) });
      return pass(way === 'authenticator' ? { code: typed } : { recovery_code: typed });
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {way === 'authenticator' && (
          <TextInput
            key="code"
            label={t('Code from your authenticator app')}
            name="code"
            autoComplete="one-time-code"
            inputMode="numeric"
            autoFocus
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        {way === 'recovery_code' && (
          <TextInput
            key="recovery"
            label={t('Recovery code')}
            description={t('Each recovery code works once.')}
            name="recovery_code"
            autoComplete="off"
            autoFocus
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <Button
          type="submit"
          loading={busy}
          disabled={way !== 'passkey' && typed.trim() === ''}
          fullWidth
          autoFocus={way === 'passkey'}
        >
          {way === 'passkey' ? t('Continue with a passkey') : t('Continue')}
        </Button>
        {ways
          .filter((other) => other !== way)
          .map((other) => (
            <Anchor
              key={other}
              component="button"
              type="button"
              size="sm"
              onClick={() => {
                setWay(other);
                setTyped('');
              }}
            >
              {t(WORDS[other])}
            </Anchor>
          ))}
        <Anchor component="button" type="button" size="sm" onClick={onBack}>
          {t('Back to login')}
        </Anchor>
      </Stack>
    </form>
  );
}
