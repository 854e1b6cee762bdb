/** Dialog in which operators confirm their identity with the password or a passkey. */
import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, refusalOf } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { useEndpoint } from '../../ui/query.ts';
import { OVER_POPOVERS } from '../../ui/theme.ts';
import type { OperatorSelf } from '../contract.ts';
import { askPasskey, confirmIdentity, readSecondFactors } from '../secondFactorContract.ts';
import { signWithPasskey } from './passkey.ts';

interface IdentityFormProps {
  operator: OperatorSelf;
  close: (confirmed: boolean) => void;
}

export default function IdentityForm(props: IdentityFormProps) {
  return (
    <Modal
      opened
      onClose={() => props.close(false)}
      title={t('Confirm your identity')}
      closeButtonProps={{ 'aria-label': t('Close') }}
      // Shown above the form whose call is waiting.
      zIndex={OVER_POPOVERS}
    >
      <IdentityQuestions {...props} />
    </Modal>
  );
}

function IdentityQuestions({ operator, close }: IdentityFormProps) {
  const [password, setPassword] = useState('');
  const factors = useEndpoint(readSecondFactors, {});
  const confirming = useMutation({
    mutationFn: async (by: 'password' | 'passkey') => {
      if (by === 'password') return call(confirmIdentity, { body: { password } });
      return call(confirmIdentity, { body: { passkey: await signWithPasskey(await call(askPasskey)) } });
    },
    onSuccess: () => close(true),
  });
  /** Refusal of the password, shown beside the field. */
  const refused = confirming.variables === 'password' ? refusalOf(confirming.error) : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Keep the form behind this dialog from being submitted too.
    event.stopPropagation();
    confirming.mutate('password');
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{t('Enter your password to continue. You won’t be asked again for 15 minutes.')}</Text>
        <input type="text" name="login" autoComplete="username" value={operator.login} readOnly hidden />
        <PasswordInput
          label={t('Password')}
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': t('Show or hide the password'), tabIndex: 0 }}
          error={refused}
          data-autofocus
        />
        {confirming.error && refused === null && <Failure error={confirming.error} />}
        <Group justify="flex-end" gap="xs">
          {(factors.data?.passkeys.length ?? 0) > 0 && (
            <Button
              variant="subtle"
              px="xs"
              mr="auto"
              disabled={confirming.isPending}
              onClick={() => confirming.mutate('passkey')}
            >
              {t('Use passkey')}
            </Button>
          )}
          <Button variant="default" onClick={() => close(false)}>
            {t('Cancel')}
          </Button>
          <Button type="submit" loading={confirming.isPending} disabled={password === ''}>
            {t('Continue')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
