import { Button, CopyButton, Group, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call } from '../../ui/api.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { t } from '../../ui/i18n.ts';
import { keyOf } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { type Channel, type channelRefusals, channels } from '../contract.ts';
import { renewHook } from '../hookContract.ts';
import { vendorLabel } from './channelDisplay.tsx';

const REGISTERED_ELSEWHERE: keyof typeof channelRefusals = 'channel.hook_elsewhere';

/** A random secret. It is made here, so that the server never has to show one. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (sign) => ({ '+': '-', '/': '_' })[sign] ?? '');
}

/** Renew the secret in the address that a channel's vendor sends to, and show it once. */
export function RenewHookDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const cache = useQueryClient();
  const [secret] = useState(newSecret);
  const [elsewhere, setElsewhere] = useState(false);
  const vendor = vendorLabel(channel.vendor);
  const renew = async () => {
    try {
      return await call(renewHook, { params: { id: channel.id }, query: { replace: elsewhere }, body: { secret } });
    } catch (error) {
      setElsewhere(error instanceof ApiError && error.code === REGISTERED_ELSEWHERE);
      throw error;
    }
  };
  return (
    <ConfirmDialog
      title={t('Renew the webhook secret of {{name}}', { name: channel.name })}
      text={t(
        '{{vendor}} gets an address with the new secret at once. The old address is accepted for 10 more minutes. This applies to all channels with the same key.',
        { vendor },
      )}
      confirm={elsewhere ? t('Take it over') : t('Renew secret')}
      color={elsewhere ? 'red' : 'accent'}
      run={renew}
      onDone={({ is_registered, message }) => {
        if (is_registered) toast.success(t('The webhook secret is renewed'));
        else
          toast.error(
            t(
              'The secret is renewed, but {{vendor}} does not have it yet: {{reason}} Choose Register webhook to try again.',
              {
                vendor,
                reason: message,
              },
            ),
          );
        void cache.invalidateQueries({ queryKey: keyOf(channels.list) });
      }}
      onClose={onClose}
    >
      <Group gap="xs" align="end" wrap="nowrap">
        <TextInput
          label={t('New secret')}
          description={t(
            'Your own programs send it as the bearer token of /v1/chatbot/webhook. Copy it now if you have any: it is not shown again.',
          )}
          value={secret}
          readOnly
          flex={1}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy} flex="none">
              {copied ? t('Copied') : t('Copy')}
            </Button>
          )}
        </CopyButton>
      </Group>
    </ConfirmDialog>
  );
}
