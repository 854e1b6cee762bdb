import { Group, Stack, Text } from '@mantine/core';
import { type ClassificationResult, classificationResults } from '../../chatbot/contract.ts';
import { dialogues } from '../../dialogues/contract.ts';
import { Failure } from '../../kit/Failure.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { PlainText } from '../../kit/PlainText.tsx';
import { useEndpoint } from '../../kit/query.ts';
import { Section } from '../../kit/Section.tsx';
import { TwoClocks } from '../../kit/TwoClocks.tsx';
import { t } from '../../kit/t.ts';
import type { Lead } from '../contract.ts';
import { StageBadge } from './stage.tsx';
import { dialoguesOfLead } from './talks.ts';

const RECENT = 5;

/** How the conversations with a lead were judged lately. Not shown where there is none to judge. */
export function LeadClassifications({ lead }: { lead: Lead }) {
  const talks = useEndpoint(dialogues.list, dialoguesOfLead(lead.id));
  const ids = talks.data?.items.map(({ id }) => id) ?? [];
  const list = useEndpoint(
    classificationResults.list,
    { query: { dialogue_id: ids, order_by: 'id', order: 'desc', limit: RECENT, with_total: false } },
    { enabled: ids.length > 0 },
  );
  return (
    <Section title={t('Classification')}>
      {talks.error ? (
        <Failure error={talks.error} onRetry={() => void talks.refetch()} />
      ) : talks.data && ids.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('No {{entity}} found', { entity: t(classificationResults.plural) })}
        </Text>
      ) : (
        <Loaded query={list} entity={t(classificationResults.plural)}>
          {({ items }) => (
            <Stack gap="sm">
              {items.map((row) => (
                <Result key={row.id} row={row} lead={lead} />
              ))}
            </Stack>
          )}
        </Loaded>
      )}
    </Section>
  );
}

function Result({ row, lead }: { row: ClassificationResult; lead: Lead }) {
  const { stage, reason, confirmed, confirmation } = row.result;
  return (
    <div>
      <Group gap="xs">
        <Text size="sm">{t('Classified as')}</Text>
        <StageBadge stage={stage} />
        <Text size="xs" c="dimmed">
          <TwoClocks iso={row.created_at} zone={lead.timezone} />
        </Text>
      </Group>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {t('because')} <PlainText text={reason} />
      </Text>
      {confirmation !== null && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {confirmed === true ? t('Confirmed:') : t('Not confirmed, the stage stayed:')}{' '}
          <PlainText text={confirmation} />
        </Text>
      )}
    </div>
  );
}
