/** What a prepared first message has achieved, by messenger and in total. */
import { Text } from '@mantine/core';
import { useState } from 'react';
import { readOutcomeStrip, readOutcomesBy } from '../../outcomes/outcomeContract.ts';
import {
  changeText,
  PeriodChoice,
  type ResultPeriod,
  ResultsTable,
} from '../../outcomes/pages/shared/ResultsTable.tsx';
import { useFirstResultDay } from '../../outcomes/pages/shared/results.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import type { PreparedMessage } from '../contract.ts';

/** A row for each messenger, and their total with its change. Follow-ups are counted by step, where they are set up. */
export function PreparedResults({ message }: { message: PreparedMessage }) {
  if (message.type === 'initial') return <Messengers message={message} />;
  return (
    <Section title={t('Results')}>
      <Text size="sm">
        {t('Follow-ups are counted by step:')}{' '}
        <PageLink to="settings-ping" inText>
          {t('Ping Settings')}
        </PageLink>
      </Text>
    </Section>
  );
}

function Messengers({ message }: { message: PreparedMessage }) {
  const [period, setPeriod] = useState<ResultPeriod>('recent');
  const from = useFirstResultDay();
  const filter = {
    product_id: message.product_id,
    prepared_message_id: [message.id],
    ...(period === 'recent' ? { started_from: from } : {}),
  };
  const total = useEndpoint(readOutcomeStrip, { query: filter }, { keepPrevious: true });
  const messengers = useEndpoint(
    readOutcomesBy,
    { params: { dimension: 'messenger' }, query: filter },
    { keepPrevious: true },
  );
  const error = total.error ?? messengers.error;
  const change = total.data && changeText(total.data.current, total.data.previous);
  return (
    <Section title={t('Results')} actions={<PeriodChoice value={period} onChange={setPeriod} />}>
      {error && (
        <Failure
          error={error}
          onRetry={() => {
            void total.refetch();
            void messengers.refetch();
          }}
        />
      )}
      {total.data?.current.attempts === 0 && <Text size="sm">{t('No attempts yet.')}</Text>}
      {total.data && messengers.data && total.data.current.attempts > 0 && (
        <ResultsTable
          caption={t('Results by messenger')}
          label={t('Messenger')}
          hasAnswered
          rows={[
            ...messengers.data.items.map(({ value, label, filter: ofMessenger, ...funnel }) => ({
              key: String(value),
              label,
              filter: ofMessenger,
              funnel,
            })),
            { key: 'total', label: t('Total'), filter, funnel: total.data.current },
          ]}
        />
      )}
      {change !== null && change !== undefined && (
        <Text size="sm" c="dimmed" mt="xs">
          {change}
        </Text>
      )}
    </Section>
  );
}
