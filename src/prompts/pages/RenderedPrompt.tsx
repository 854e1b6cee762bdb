import { Alert, Loader, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { renderForLead } from '../../chatbot/contract.ts';
import { call } from '../../kit/api.ts';
import { Failure } from '../../kit/Failure.tsx';
import { ReferenceSelect } from '../../kit/ReferenceSelect.tsx';
import { sourceOf } from '../../kit/source.ts';
import { t } from '../../kit/t.ts';
import { leads } from '../../leads/contract.ts';
import classes from './prompts.module.css';

const TYPING_MS = 400;

/** The text of the editor filled in for a lead. */
export function RenderedPrompt({ productId, text }: { productId: number; text: string }) {
  const [lead, setLead] = useState('');
  const [settled] = useDebouncedValue(text, TYPING_MS);
  const source = useMemo(() => sourceOf(leads, (one) => one.name, { product_id: [productId] }), [productId]);
  const blank = settled.trim() === '';
  const body = { product_id: productId, text: settled, lead_id: lead === '' ? null : Number(lead) };
  const rendered = useQuery({
    queryKey: ['rendered', body],
    queryFn: ({ signal }) => call(renderForLead, { body, signal }),
    enabled: !blank,
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="sm">
      <ReferenceSelect
        source={source}
        value={lead}
        onChange={setLead}
        clearable
        label={t('Lead')}
        placeholder={t('Somebody made up')}
      />
      {rendered.error && <Failure error={rendered.error} onRetry={() => rendered.refetch()} />}
      {!blank && rendered.data?.error && (
        <Alert color="red" role="alert" title={t('The text cannot be filled in')}>
          {rendered.data.error}
        </Alert>
      )}
      {blank ? (
        <Text size="sm" c="dimmed">
          {t('Nothing to show yet.')}
        </Text>
      ) : rendered.data?.text ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        <pre className={classes.rendered} role="region" aria-label={t('Rendered text')} tabIndex={0}>
          {rendered.data.text}
        </pre>
      ) : (
        !rendered.data && !rendered.error && <Loader size="sm" />
      )}
    </Stack>
  );
}
