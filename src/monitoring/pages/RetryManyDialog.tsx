import { Anchor, Button, Checkbox, Group, List, Modal, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  countRetries,
  deliveryFailures,
  listFailureReasons,
  type RetryBlock,
  type RetryCount,
} from '../../outbox/deliveryFailureContract.ts';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { usePage } from '../../ui/page.ts';
import { keyOf } from '../../ui/query.ts';
import { blockReasonWords } from './deliveryFailureWords.ts';
import { NOTHING_SENT, retryOn, type Sent, type Which } from './retry.ts';

interface RetryManyDialogProps {
  which: Which;
  onClose: () => void;
}

/** Dialog that counts the messages, sends them after confirmation, and shows the result. Mount it to open it. */
export function RetryManyDialog({ which, onClose }: RetryManyDialogProps) {
  const [opened, setOpened] = useState(true);
  const cache = useQueryClient();
  const page = usePage();
  // The request to send includes the time of the count, so each dialog makes its own count.
  const [body] = useState(which);
  const count = useQuery({
    queryKey: ['retry count', body],
    queryFn: ({ signal }) => call(countRetries, { body, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const refresh = () => {
    void cache.invalidateQueries({ queryKey: keyOf(deliveryFailures.list) });
    void cache.invalidateQueries({ queryKey: keyOf(listFailureReasons) });
  };
  const [sent, setSent] = useState<Sent>(NOTHING_SENT);
  const [includeUnconfirmed, setIncludeUnconfirmed] = useState(false);
  const sending = useMutation({
    mutationFn: (counted: RetryCount) =>
      retryOn({ which: body, count: counted, includeUnconfirmed, so: sent, onProgress: setSent }),
    onSettled: refresh,
  });
  const close = () => {
    if (!sending.isPending) setOpened(false);
  };
  const show = (block: RetryBlock) => {
    setOpened(false);
    page.setParams({ retry_block: block, list_page: undefined });
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      onExitTransitionEnd={onClose}
      title={t('Send again')}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        {count.error && <Failure error={count.error} onRetry={() => count.refetch()} />}
        {count.isPending && (
          <Text size="sm" c="dimmed" role="status">
            {t('Counting…')}
          </Text>
        )}
        {count.data && !sending.isSuccess && (
          <RetryPreview
            count={count.data}
            includeUnconfirmed={includeUnconfirmed}
            onIncludeUnconfirmed={setIncludeUnconfirmed}
            locked={sending.isPending}
            onShow={show}
          />
        )}
        {sending.isPending && count.data && <SentProgress sent={sent} matching={count.data.matching} />}
        {sending.error && <Failure error={sending.error} />}
        {sending.isSuccess && <SentResult sent={sent} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={sending.isPending} data-autofocus>
            {sending.isSuccess ? t('Close') : t('Cancel')}
          </Button>
          {count.data && !sending.isSuccess && (
            <Button
              loading={sending.isPending}
              disabled={sendableCount(count.data, includeUnconfirmed) === 0}
              onClick={() => sending.mutate(count.data)}
            >
              {sending.isError
                ? t('Continue')
                : t('Send {{count}} again', { count: formatNumber(sendableCount(count.data, includeUnconfirmed)) })}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

const sendableCount = (count: RetryCount, includeUnconfirmed: boolean): number =>
  count.same_key + count.new_key + (includeUnconfirmed ? count.doubtful : 0);

function SentProgress({ sent, matching }: { sent: Sent; matching: number }) {
  const percentage = (100 * (sent.again + sent.skipped)) / Math.max(matching, 1);
  return <Progress aria-label={t('Sending again')} value={percentage} animated />;
}

function SentResult({ sent }: { sent: Sent }) {
  return (
    <Text size="sm" role="status">
      {t('{{again}}, {{skipped}}.', {
        again: t('{{count, number}} are being sent again', {
          count: sent.again,
          defaultValue_one: '1 is being sent again',
        }),
        skipped: t('{{count, number}} were skipped', { count: sent.skipped, defaultValue_one: '1 was skipped' }),
      })}
    </Text>
  );
}

interface RetryPreviewProps {
  count: RetryCount;
  includeUnconfirmed: boolean;
  onIncludeUnconfirmed: (include: boolean) => void;
  locked: boolean;
  /** Lists the messages that are skipped for a reason. */
  onShow: (block: RetryBlock) => void;
}

function RetryPreview({ count, includeUnconfirmed, onIncludeUnconfirmed, locked, onShow }: RetryPreviewProps) {
  if (count.matching === 0) return <Text size="sm">{t('No message matches.')}</Text>;
  return (
    <>
      <List size="sm" spacing="xs">
        <List.Item>
          {t('{{count, number}} under the same key: the vendor recognises them, they arrive once', {
            count: count.same_key,
            defaultValue_one: '1 under the same key: the vendor recognises it, it arrives once',
          })}
        </List.Item>
        <List.Item>
          {t('{{count, number}} under a new key: they were refused and have not arrived', {
            count: count.new_key,
            defaultValue_one: '1 under a new key: it was refused and has not arrived',
          })}
        </List.Item>
        {count.cannot.map(({ why, count: heldCount }) => (
          <List.Item key={why}>
            <Anchor component="button" type="button" inherit ta="start" disabled={locked} onClick={() => onShow(why)}>
              {t('{{count, number}} are skipped: {{why}}', {
                count: heldCount,
                defaultValue_one: '1 is skipped: {{why}}',
                why: t(blockReasonWords[why]),
              })}
            </Anchor>
          </List.Item>
        ))}
      </List>
      {count.doubtful > 0 && (
        <Checkbox
          size="sm"
          checked={includeUnconfirmed}
          disabled={locked}
          onChange={(event) => onIncludeUnconfirmed(event.currentTarget.checked)}
          label={t('Also the {{count, number}} unconfirmed ones that may have arrived', {
            count: count.doubtful,
            defaultValue_one: 'Also the unconfirmed one that may have arrived',
          })}
          description={t('The vendor no longer recognises them: those that did arrive will arrive twice.')}
        />
      )}
    </>
  );
}
