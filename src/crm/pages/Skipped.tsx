/** What of an account was not imported, and why: cards, contacts, names and addresses, with links to amoCRM. */
import { Anchor, Button, Group, Stack, Table, Text } from '@mantine/core';
import { t } from '../../ui/i18n.ts';
import { QueryList } from '../../ui/QueryList.tsx';
import { useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { readSkippedItems, type SkippedEntity, type SkippedItem, skippedEntities } from '../amocrmContract.ts';
import { describeSkippedCount } from './connection.tsx';

const REFRESH_MS = 5_000;
const ONE_LINE = { whiteSpace: 'nowrap' };

interface SkippedProps {
  integrationId: number;
  /** Null: it cannot be tried again now. */
  onRetry: (() => void) | null;
  isRetrying: boolean;
}

export function Skipped({ integrationId, onRetry, isRetrying }: SkippedProps) {
  const query = useEndpoint(
    readSkippedItems,
    { params: { id: integrationId } },
    { staleTime: 0, refetchInterval: REFRESH_MS },
  );
  const isEmpty = query.data?.items.length === 0;
  return (
    <Section
      title={t('Skipped')}
      actions={
        !isEmpty && (
          <Button
            size="compact-xs"
            variant="default"
            loading={isRetrying}
            disabled={onRetry === null}
            onClick={() => onRetry?.()}
          >
            {t('Try again')}
          </Button>
        )
      }
    >
      {isEmpty ? (
        <Text size="sm" c="dimmed">
          {t('Nothing was skipped.')}
        </Text>
      ) : (
        <QueryList query={query} entity={t('skipped items')}>
          {({ counts, items }) => (
            <Stack gap="sm">
              <Text size="sm">{describeSkippedCounts(counts)}</Text>
              <Table.ScrollContainer minWidth={480}>
                <Table>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>{t('What')}</Table.Th>
                      <Table.Th w="100%">{t('Reason')}</Table.Th>
                      <Table.Th>{t('Since')}</Table.Th>
                      <Table.Th style={ONE_LINE}>{t('Last time')}</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {items.map((item) => (
                      <Row key={`${item.entity} ${item.entity_id} ${item.lead_id ?? ''}`} item={item} />
                    ))}
                  </Table.Tbody>
                </Table>
              </Table.ScrollContainer>
            </Stack>
          )}
        </QueryList>
      )}
    </Section>
  );
}

const describeSkippedCounts = (counts: Readonly<Partial<Record<SkippedEntity, number>>>): string =>
  skippedEntities
    .flatMap((entity) => (counts[entity] === undefined ? [] : describeSkippedCount(entity, counts[entity])))
    .join(', ');

function Row({ item }: { item: SkippedItem }) {
  const label = labelOf(item);
  return (
    <Table.Tr>
      <Table.Td style={ONE_LINE}>
        {item.url === null ? (
          label
        ) : (
          <Anchor href={item.url} target="_blank" rel="noopener noreferrer" inherit>
            {label}
          </Anchor>
        )}
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>{item.reason}</Table.Td>
      <Table.Td style={ONE_LINE}>
        <Timestamp iso={item.first_at} />
      </Table.Td>
      <Table.Td>
        <Group gap={4} wrap="nowrap" style={ONE_LINE}>
          <Timestamp iso={item.last_at} />
          {item.times > 1 && (
            <Text span inherit c="dimmed">
              {t('({{count}} times)', { count: item.times })}
            </Text>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

function labelOf({ entity, entity_id: id }: SkippedItem): string {
  const named = id === '' ? t('without an id') : id;
  switch (entity) {
    case 'card':
      return t('Card {{id}}', { id: named });
    case 'contact':
      return t('Contact {{id}}', { id: named });
    case 'pipeline':
      return t('Pipeline {{id}}', { id: named });
    case 'step':
      return t('Step {{id}}', { id: named });
    case 'field':
      return t('Field {{id}}', { id: named });
    case 'address':
      return t('Addresses of card {{id}}', { id: named });
    default:
      return entity satisfies never;
  }
}
