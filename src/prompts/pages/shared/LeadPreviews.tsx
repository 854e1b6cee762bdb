/** Previews of a text filled in for leads of the product: what each would read, and who would get nothing. */
import { Alert, Loader, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { renderForLead } from '../../../conversations/classificationConfigContract.ts';
import { leads } from '../../../leads/contract.ts';
import { call } from '../../../ui/api.ts';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { type OptionSource, optionSource } from '../../../ui/optionSource.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { ReferenceSelect } from '../../../ui/ReferenceSelect.tsx';
import classes from '../prompts.module.css';
import { TemplateErrors } from './TemplateErrors.tsx';

const TYPING_MS = 400;
/** Number of previews. */
const LEADS = 3;

interface LeadPreviewsProps {
  productId: number;
  text: string;
  /** A message with an empty variable is not sent to the lead; in a prompt an empty variable stays empty. */
  kind: 'prompt' | 'message';
  /** Stacks the previews, for narrow places. */
  narrow?: boolean;
}

/** Show a text for three leads, initially the newest. Others can be chosen. */
export function LeadPreviews({ productId, text, kind, narrow = false }: LeadPreviewsProps) {
  const [chosen, setChosen] = useState<Readonly<Record<number, string>>>({});
  const [settled] = useDebouncedValue(text, TYPING_MS);
  const newest = useEndpoint(leads.list, { query: { product_id: [productId], limit: LEADS, with_total: false } });
  const source = useMemo(
    () => optionSource({ resource: leads, labelOf: (one) => one.name, query: { product_id: [productId] } }),
    [productId],
  );
  if (newest.error) return <Failure error={newest.error} onRetry={() => newest.refetch()} />;
  if (!newest.data) return <Loader size="sm" />;
  const ids = newest.data.items.map((one) => String(one.id));
  // A product without leads gets a preview with a sample lead.
  const places = ids.length === 0 ? [''] : ids;
  return (
    <Stack gap="sm">
      {/* The editor of a prompt shows them beside its text. */}
      {kind === 'message' && <TemplateErrors text={text} />}
      <SimpleGrid cols={narrow ? 1 : { base: 1, sm: places.length }} spacing="sm">
        {places.map((id, place) => (
          <Preview
            key={id}
            number={place + 1}
            body={{ product_id: productId, text: settled, kind, lead_id: Number(chosen[place] ?? id) || null }}
            source={source}
            value={chosen[place] ?? id}
            onChoose={(lead) => setChosen({ ...chosen, [place]: lead })}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

interface PreviewProps {
  number: number;
  body: { product_id: number; text: string; kind: 'prompt' | 'message'; lead_id: number | null };
  source: OptionSource;
  value: string;
  onChoose: (lead: string) => void;
}

function Preview({ number, body, source, value, onChoose }: PreviewProps) {
  const blank = body.text.trim() === '';
  const rendered = useQuery({
    queryKey: ['rendered', body],
    queryFn: ({ signal }) => call(renderForLead, { body, signal }),
    enabled: !blank,
    placeholderData: keepPreviousData,
  });
  const { text, error, missing } = rendered.data ?? { text: null, error: null, missing: null };
  return (
    <Stack gap="xs" component="section" aria-label={t('Preview {{number}}', { number })}>
      <ReferenceSelect
        source={source}
        value={value}
        onChange={onChoose}
        size="xs"
        aria-label={t('Lead of preview {{number}}', { number })}
        placeholder={t('Sample lead')}
      />
      {rendered.error && <Failure error={rendered.error} onRetry={() => rendered.refetch()} />}
      {!blank && error !== null && (
        <Alert color="red" role="alert" title={t('The text cannot be filled in')}>
          {error}
        </Alert>
      )}
      {!blank && missing !== null && (
        <Text size="sm" className={classes.missing} role="status">
          <IconAlertTriangle size="1rem" aria-hidden />{' '}
          {t('Not sent to this lead: {{variable}} is empty', { variable: missing })}
        </Text>
      )}
      {blank ? (
        <Text size="sm" c="dimmed">
          {t('Nothing to show yet.')}
        </Text>
      ) : text ? (
        // What scrolls has to be reached by keyboard
        <pre
          className={classes.rendered}
          role="region"
          aria-label={t('Text of preview {{number}}', { number })}
          tabIndex={0}
        >
          {text}
        </pre>
      ) : (
        !rendered.data && !rendered.error && <Loader size="sm" />
      )}
    </Stack>
  );
}
