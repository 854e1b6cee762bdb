import { Group, Stack, Text } from '@mantine/core';
import { type ClassificationResult, classificationResults } from '../../conversations/classificationConfigContract.ts';
import { dialogues } from '../../conversations/contract.ts';
import { DualTimestamp } from '../../ui/DualTimestamp.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { PlainText } from '../../ui/PlainText.tsx';
import { QueryList } from '../../ui/QueryList.tsx';
import { useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import type { Lead } from '../contract.ts';
import { leadDialoguesArgs } from './leadQueries.ts';
import { StageBadge } from './shared/stage.tsx';

const RECENT = 5;

/** The most recent classifications of a lead's dialogues. */
export function LeadClassifications({ lead }: { lead: Lead }) {
  const dialoguesQuery = useEndpoint(dialogues.list, leadDialoguesArgs(lead.id));
  const ids = dialoguesQuery.data?.items.map(({ id }) => id) ?? [];
  const list = useEndpoint(
    classificationResults.list,
    { query: { dialogue_id: ids, order_by: 'id', order: 'desc', limit: RECENT, with_total: false } },
    { enabled: ids.length > 0 },
  );
  return (
    <Section title={t('Classification')}>
      {dialoguesQuery.error ? (
        <Failure error={dialoguesQuery.error} onRetry={() => void dialoguesQuery.refetch()} />
      ) : dialoguesQuery.data && ids.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('No {{entity}} found', { entity: t(classificationResults.plural) })}
        </Text>
      ) : (
        <QueryList query={list} entity={t(classificationResults.plural)}>
          {({ items }) => (
            <Stack gap="sm">
              {items.map((row) => (
                <Result key={row.id} row={row} lead={lead} />
              ))}
            </Stack>
          )}
        </QueryList>
      )}
    </Section>
  );
}

function Result({ row, lead }: { row: ClassificationResult; lead: Lead }) {
  const { stage, reason, confirmed, confirmation } = row.result;
  return (
    <div>
      <Group gap="xs">
        <Text size="sm">{t('Detected stage:')}</Text>
        <StageBadge stage={stage} />
        <Text size="xs" c="dimmed">
          <DualTimestamp iso={row.created_at} zone={lead.timezone} />
        </Text>
      </Group>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {t('Reason:')} <PlainText text={reason} />
      </Text>
      {confirmation !== null && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {confirmed === true ? t('Confirmed:') : t('Not confirmed; the stage did not change:')}{' '}
          <PlainText text={confirmation} />
        </Text>
      )}
    </div>
  );
}
