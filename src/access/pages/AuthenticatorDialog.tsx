/** Dialog that sets up an authenticator app: its QR code, and its first code. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { encode } from 'uqr';
import { call, refusalOf } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { confirmAuthenticator, startAuthenticator } from '../secondFactorContract.ts';
import classes from './account.module.css';

interface AuthenticatorDialogProps {
  /** Called with recovery codes if this is the first factor. */
  onAdded: (codes: readonly string[] | null) => void;
  onClose: () => void;
}

export default function AuthenticatorDialog({ onAdded, onClose }: AuthenticatorDialogProps) {
  const [code, setCode] = useState('');
  // Each time the dialog opens it gets a new secret, and none is cached.
  const secret = useQuery({
    queryKey: ['authenticator secret'],
    queryFn: () => call(startAuthenticator),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const confirming = useMutation({
    mutationFn: () => call(confirmAuthenticator, { body: { code } }),
    onSuccess: ({ recovery_codes }) => onAdded(recovery_codes),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirming.mutate();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('Set up authenticator app')}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          {secret.error && <Failure error={secret.error} />}
          {secret.data && (
            <>
              <Text size="sm">
                {t('Scan the QR code with your authenticator app, or enter the key below it by hand.')}
              </Text>
              <QrCode text={secret.data.uri} />
              <Text size="sm" className={classes.secret} data-testid="authenticator-secret">
                {secret.data.secret.match(/.{1,4}/g)?.join(' ')}
              </Text>
              <TextInput
                label={t('Code from the app')}
                name="code"
                autoComplete="one-time-code"
                inputMode="numeric"
                value={code}
                onChange={(event) => setCode(event.currentTarget.value)}
                autoFocus
                error={refusalOf(confirming.error)}
              />
            </>
          )}
          {confirming.error && refusalOf(confirming.error) === null && <Failure error={confirming.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={confirming.isPending} disabled={!secret.data || code.trim() === ''}>
              {t('Confirm')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** The QR code with its dark modules as one path. The library adds a border of four modules. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 4 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg viewBox={`0 0 ${size} ${size}`} className={classes.qr} role="img" aria-label={t('QR code')}>
      <path d={path} fill="currentColor" shapeRendering="crispEdges" />
    </svg>
  );
}
