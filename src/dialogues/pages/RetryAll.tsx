import { Button, Text } from '@mantine/core';
import { IconAlertCircle, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../kit/api.ts';
import { formatNumber } from '../../kit/format.ts';
import { usePage } from '../../kit/page.ts';
import { keyOf, useEndpoint } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { answerAll } from '../answerContract.ts';
import { classifyAll } from '../classificationContract.ts';
import { dialogues } from '../contract.ts';

/** Tells how many dialogues could not be answered or classified, shows them, and tries those shown again. */
export function RetryAll({ productId }: { productId: number }) {
  const body = { product_id: productId };
  return (
    <>
      <Trouble
        productId={productId}
        filter="unanswered"
        words={(count) => t('{{count}} without answer', { count })}
        retry={async () => {
          const { count } = await call(answerAll, { body });
          return t('Answering {{count}} dialogues again', {
            count,
            defaultValue_one: 'Answering {{count}} dialogue again',
          });
        }}
      />
      <Trouble
        productId={productId}
        filter="unclassified"
        words={(count) => t('{{count}} not classified', { count })}
        retry={async () => {
          const { count } = await call(classifyAll, { body });
          return t('Classifying {{count}} dialogues again', {
            count,
            defaultValue_one: 'Classifying {{count}} dialogue again',
          });
        }}
      />
    </>
  );
}

interface TroubleProps {
  productId: number;
  filter: 'unanswered' | 'unclassified';
  words: (count: number) => string;
  /** Tries all again; says what it did. */
  retry: () => Promise<string>;
}

function Trouble({ productId, filter, words, retry }: TroubleProps) {
  const page = usePage();
  const cache = useQueryClient();
  const found = useEndpoint(dialogues.list, { query: { product_id: [productId], [filter]: [true], limit: 1 } });
  const again = useMutation({
    mutationFn: retry,
    onSuccess: (said) => {
      toast.success(said);
      void cache.invalidateQueries({ queryKey: keyOf(dialogues.list) });
    },
    onError: toast.failure,
  });
  const count = found.data?.total ?? 0;
  if (count === 0) return null;
  const filtered = page.params[filter] === 'true';
  return (
    <>
      <Button
        size="xs"
        variant="light"
        color="red"
        leftSection={<IconAlertCircle size="1rem" />}
        aria-label={words(count)}
        aria-pressed={filtered}
        onClick={() => page.setParams({ [filter]: filtered ? null : 'true', list_page: null })}
      >
        <Text span inherit visibleFrom="sm">
          {words(count)}
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
          loading={again.isPending}
          onClick={() => again.mutate()}
        >
          {t('Retry for all')}
        </Button>
      )}
    </>
  );
}
