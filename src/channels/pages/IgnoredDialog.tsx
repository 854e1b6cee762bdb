/** What was ignored on a channel, since it is not of one person's chat. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { adoptIgnoredItem, type IgnoredItem, listIgnoredItems } from '../../inbox/ignoredContract.ts';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { PlainText } from '../../ui/PlainText.tsx';
import { keyOf, useEndpoint } from '../../ui/query.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { toast } from '../../ui/toast.ts';
import type { Channel } from '../contract.ts';

const REASONS: Readonly<Record<string, string>> = {
  group: 'Group',
  community: 'Community',
  broadcast: 'Broadcast list',
  story: 'Status or story',
  news_channel: 'Channel that people follow',
  bot: 'Bot',
  service: "The messenger's own account",
  own_number: "The channel's own number",
  unknown_chat: 'Unknown kind of chat',
  unknown_direction: 'Not known who wrote it',
  no_chat: 'No chat named',
  no_product: 'No product receives what strangers write',
  no_text: 'Nothing to show',
};

export function IgnoredDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const items = useEndpoint(listIgnoredItems, { params: { id: channel.id }, query: {} }, { staleTime: 0 });
  return (
    <Modal
      opened
      size="lg"
      title={t('Ignored messages of {{name}}', { name: channel.name })}
      closeButtonProps={{ 'aria-label': t('Close') }}
      onClose={onClose}
    >
      <Text size="sm" c="dimmed" mb="md">
        {t(
          'Only what is surely one person’s chat becomes a lead. This is the rest; the bot never reads or answers it.',
        )}
      </Text>
      {items.error && <Failure error={items.error} onRetry={() => items.refetch()} />}
      {items.data?.length === 0 && <Text size="sm">{t('Nothing was ignored.')}</Text>}
      <Stack gap="md">
        {items.data?.map((item) => (
          <Row key={item.id} item={item} />
        ))}
      </Stack>
    </Modal>
  );
}

function Row({ item }: { item: IgnoredItem }) {
  const cache = useQueryClient();
  const adopting = useMutation({
    mutationFn: () => call(adoptIgnoredItem, { params: { id: item.id } }),
    onSuccess: () => toast.success(t('The sender becomes a lead.')),
    onError: toast.failure,
    onSettled: () => cache.invalidateQueries({ queryKey: keyOf(listIgnoredItems) }),
  });
  const sender = item.sender_name ?? item.address ?? item.chat_id ?? t('Unknown');
  return (
    <Group justify="space-between" align="start" wrap="nowrap">
      <Stack gap={2} miw={0}>
        <Text size="sm" fw={500}>
          {sender}
        </Text>
        <Text size="xs" c="dimmed">
          {t(REASONS[item.reason] ?? item.reason)} · <Timestamp iso={item.received_at} />
        </Text>
        <Text size="sm">
          {item.reason === 'service' ? t('Not kept: it may be a login code.') : <PlainText text={item.text} />}
        </Text>
      </Stack>
      {item.can_become_lead && (
        <Button
          size="compact-sm"
          variant="default"
          flex="none"
          loading={adopting.isPending}
          onClick={() => adopting.mutate()}
        >
          {t('Create lead')}
        </Button>
      )}
    </Group>
  );
}
