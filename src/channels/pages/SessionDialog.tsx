/** Show the session state that the vendor reports now, and how to repair it. */
import { Alert, Button, Group, Image, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { IconInfoCircle, IconLink, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { keyOf } from '../../ui/query.ts';
import { type Channel, channels, checkSession, pairingLink } from '../contract.ts';
import { FirstMessagesBadge, SessionBadge, sessionRemedy, vendorLabel } from './channelDisplay.tsx';

export function SessionDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const cache = useQueryClient();
  const [opened, setOpened] = useState(true);
  const checking = useMutation({
    mutationFn: () => call(checkSession, { params: { id: channel.id } }),
    onSettled: () => cache.invalidateQueries({ queryKey: keyOf(channels.list) }),
  });
  const pairing = useMutation({
    mutationFn: () => call(pairingLink, { params: { id: channel.id } }),
    onSuccess: ({ link }) => void window.open(link, '_blank', 'noopener'),
  });
  const { mutate: check } = checking;
  useEffect(() => check(), [check]);
  const session = checking.data;
  return (
    <Modal
      opened={opened}
      onClose={() => setOpened(false)}
      onExitTransitionEnd={onClose}
      title={t('Session of {{name}}', { name: channel.name })}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        {checking.isPending && <Skeleton height={48} />}
        {checking.error && <Failure error={checking.error} />}
        {session && !checking.isPending && <SessionState channel={{ ...channel, ...session }} qr={session.qr} />}
        {pairing.error && <Failure error={pairing.error} />}
        <Group justify="flex-end">
          {session && !session.is_session_active && (
            <Button
              variant="default"
              leftSection={<IconLink size="1rem" />}
              loading={pairing.isPending}
              onClick={() => pairing.mutate()}
            >
              {t('Pairing link')}
            </Button>
          )}
          <Button
            variant="default"
            leftSection={<IconRefresh size="1rem" />}
            loading={checking.isPending}
            onClick={() => check()}
            data-autofocus
          >
            {t('Check again')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function SessionState({ channel, qr }: { channel: Channel; qr: string | null }) {
  const remedy = sessionRemedy(channel);
  return (
    <>
      <Group gap="xs" role="status">
        <Text size="sm">{t('{{vendor}} reports:', { vendor: vendorLabel(channel.vendor) })}</Text>
        <SessionBadge channel={channel} />
        <FirstMessagesBadge channel={channel} />
      </Group>
      {remedy !== null && (
        <Alert color="orange" icon={<IconInfoCircle />}>
          {remedy}
        </Alert>
      )}
      {channel.firsts_stopped_reason !== null && (
        <Alert color="red" icon={<IconInfoCircle />}>
          {t('First messages stopped automatically: {{reason}}.', { reason: channel.firsts_stopped_reason })}
        </Alert>
      )}
      {qr !== null && (
        <Image
          src={qr}
          alt={t('QR code to scan with the phone')}
          w={220}
          mx="auto"
          style={{ imageRendering: 'pixelated' }}
        />
      )}
    </>
  );
}
