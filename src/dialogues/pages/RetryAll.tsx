import { Button, Text } from '@mantine/core';
import { IconAlertCircle, IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { formatNumber } from '../../kit/format.ts';
import { usePage } from '../../kit/page.ts';
import { keyOf, useCall, useEndpoint } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { answerAll, dialogues } from '../contract.ts';

/** Tells how many dialogues could not be answered, shows them, and where they are shown tries them all again. */
export function RetryAll({ productId }: { productId: number }) {
  const page = usePage();
  const cache = useQueryClient();
  const unanswered = useEndpoint(dialogues.list, {
    query: { product_id: [productId], unanswered: [true], limit: 1 },
  });
  const retry = useCall(answerAll);
  const count = unanswered.data?.total ?? 0;
  if (count === 0) return null;
  const words = t('{{count}} without answer', { count });
  const filtered = page.params.unanswered === 'true';
  const again = () =>
    retry.mutate(
      { body: { product_id: productId } },
      {
        onSuccess: (answer) => {
          toast.success(
            t('Answering {{count}} dialogues again', {
              count: answer.count,
              defaultValue_one: 'Answering {{count}} dialogue again',
            }),
          );
          void cache.invalidateQueries({ queryKey: keyOf(dialogues.list) });
        },
        onError: toast.failure,
      },
    );
  return (
    <>
      <Button
        size="xs"
        variant="light"
        color="red"
        leftSection={<IconAlertCircle size="1rem" />}
        aria-label={words}
        aria-pressed={filtered}
        onClick={() => page.setParams({ unanswered: filtered ? null : 'true', list_page: null })}
      >
        <Text span inherit visibleFrom="sm">
          {words}
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
          loading={retry.isPending}
          onClick={again}
        >
          {t('Retry for all')}
        </Button>
      )}
    </>
  );
}
