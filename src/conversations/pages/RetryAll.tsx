import { Button, Text } from '@mantine/core';
import { IconAlertCircle, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../ui/api.ts';
import { formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { usePage } from '../../ui/page.ts';
import { keyOf, useEndpoint } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { answerAll } from '../answerContract.ts';
import { classifyAll } from '../classificationContract.ts';
import { dialogues } from '../contract.ts';

/** Shows how many dialogues could not be answered or classified, filters the list to them, and retries them all. */
export function RetryAll({ productId }: { productId: number }) {
  const body = { product_id: productId };
  return (
    <>
      <RetryGroup
        productId={productId}
        filter="unanswered"
        label={(count) => t('{{count}} bot errors', { count, defaultValue_one: '{{count}} bot error' })}
        retry={async () => {
          const { count } = await call(answerAll, { body });
          return t('Retrying {{count}} answers', {
            count,
            defaultValue_one: 'Retrying {{count}} answer',
          });
        }}
      />
      <RetryGroup
        productId={productId}
        filter="unclassified"
        label={(count) => t('{{count}} without a stage', { count })}
        retry={async () => {
          const { count } = await call(classifyAll, { body });
          return t('Retrying stage detection for {{count}} dialogues', {
            count,
            defaultValue_one: 'Retrying stage detection for {{count}} dialogue',
          });
        }}
      />
    </>
  );
}

interface RetryGroupProps {
  productId: number;
  filter: 'unanswered' | 'unclassified';
  label: (count: number) => string;
  /** Retries all; returns a sentence with the outcome. */
  retry: () => Promise<string>;
}

function RetryGroup({ productId, filter, label, retry }: RetryGroupProps) {
  const page = usePage();
  const cache = useQueryClient();
  const list = useEndpoint(dialogues.list, { query: { product_id: [productId], [filter]: [true], limit: 1 } });
  const retryAll = useMutation({
    mutationFn: retry,
    onSuccess: (text) => {
      toast.success(text);
      void cache.invalidateQueries({ queryKey: keyOf(dialogues.list) });
    },
    onError: toast.failure,
  });
  const count = list.data?.total ?? 0;
  if (count === 0) return null;
  const filtered = page.params[filter] === 'true';
  return (
    <>
      <Button
        size="xs"
        variant="light"
        color="red"
        leftSection={<IconAlertCircle size="1rem" />}
        aria-label={label(count)}
        aria-pressed={filtered}
        onClick={() => page.setParams({ [filter]: filtered ? null : 'true', list_page: null })}
      >
        <Text span inherit visibleFrom="sm">
          {label(count)}
        </Text>
        <Text span inherit hiddenFrom="sm" aria-hidden>
          {formatNumber(count)}
        </Text>
      </Button>
      {filtered && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRefresh size="1rem" />}
          loading={retryAll.isPending}
          onClick={() => retryAll.mutate()}
        >
          {t('Retry all')}
        </Button>
      )}
    </>
  );
}
