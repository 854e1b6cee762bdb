/** The second step of a sign-in: a code from the app, a passkey, or a recovery code. */
import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { t } from '../../ui/i18n.ts';
import type { OperatorSelf, SecondFactorDue } from '../contract.ts';
import { signWithPasskey } from './passkey.ts';
import { askPasskey, passSecondStep } from './signInCalls.ts';

type FactorKind = SecondFactorDue['second_factors'][number];

interface SecondStepProps {
  kinds: readonly FactorKind[];
  /** Run the work, and show its progress and its failure. */
  attempt: (work: () => Promise<OperatorSelf>) => void;
  busy: boolean;
  onBack: () => void;
}

const LABELS: Readonly<Record<FactorKind, string>> = {
  authenticator: 'Use the authenticator app',
  passkey: 'Use a passkey',
  recovery_code: 'Use a recovery code',
};

export default function SecondStep({ kinds, attempt, busy, onBack }: SecondStepProps) {
  const [kind, setKind] = useState<FactorKind>(kinds.includes('passkey') ? 'passkey' : (kinds[0] ?? 'recovery_code'));
  const [code, setCode] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt(async () => {
      if (kind === 'passkey') return passSecondStep({ passkey: await signWithPasskey(await askPasskey()) });
      return passSecondStep(kind === 'authenticator' ? { code } : { recovery_code: code });
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {kind === 'authenticator' && (
          <TextInput
            key="code"
            label={t('Code from your authenticator app')}
            name="code"
            autoComplete="one-time-code"
            inputMode="numeric"
            autoFocus
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        {kind === 'recovery_code' && (
          <TextInput
            key="recovery"
            label={t('Recovery code')}
            description={t('Each recovery code works once.')}
            name="recovery_code"
            autoComplete="off"
            autoFocus
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        <Button
          type="submit"
          loading={busy}
          disabled={kind !== 'passkey' && code.trim() === ''}
          fullWidth
          autoFocus={kind === 'passkey'}
        >
          {kind === 'passkey' ? t('Continue with a passkey') : t('Continue')}
        </Button>
        {kinds
          .filter((other) => other !== kind)
          .map((other) => (
            <Anchor
              key={other}
              component="button"
              type="button"
              size="sm"
              onClick={() => {
                setKind(other);
                setCode('');
              }}
            >
              {t(LABELS[other])}
            </Anchor>
          ))}
        <Anchor component="button" type="button" size="sm" onClick={onBack}>
          {t('Back to login')}
        </Anchor>
      </Stack>
    </form>
  );
}
