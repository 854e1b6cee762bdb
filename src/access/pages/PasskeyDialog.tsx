/** Dialog that adds a passkey: its name, then the browser's own dialog. */
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { addPasskey, startPasskey } from '../secondFactorContract.ts';
import { makePasskey } from './passkey.ts';

interface PasskeyDialogProps {
  /** Called with recovery codes if this is the first factor. */
  onAdded: (codes: readonly string[] | null) => void;
  onClose: () => void;
}

export default function PasskeyDialog({ onAdded, onClose }: PasskeyDialogProps) {
  const [name, setName] = useState(t('Passkey'));
  const adding = useMutation({
    mutationFn: async () => call(addPasskey, { body: { name, passkey: await makePasskey(await call(startPasskey)) } }),
    onSuccess: ({ recovery_codes }) => onAdded(recovery_codes),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    adding.mutate();
  };
  return (
    <Modal opened onClose={onClose} title={t('Add passkey')} closeButtonProps={{ 'aria-label': t('Close') }}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label={t('Name')}
            description={t('Helps you tell your passkeys apart.')}
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          {adding.error && <Failure error={adding.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={adding.isPending} disabled={name.trim() === ''}>
              {t('Add passkey')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
