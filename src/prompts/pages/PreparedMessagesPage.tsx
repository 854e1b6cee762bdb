import { useMemo } from 'react';
import { useResultColumns } from '../../outcomes/pages/shared/resultColumns.tsx';
import type { Column } from '../../ui/columns.ts';
import type { Filter } from '../../ui/filter.ts';
import { t } from '../../ui/i18n.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { useScope } from '../../ui/scope.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { YesNo, yesNoFilter } from '../../ui/YesNo.tsx';
import { type PreparedMessage, preparedMessages } from '../contract.ts';
import { countedPrepared, preparedTypeLabel, preparedTypeOptions } from './promptLabels.tsx';

export default function PreparedMessagesPage() {
  const { product } = useScope();
  const results = useResultColumns(product?.id ?? 0, countedPrepared);
  const columns = useMemo(() => preparedColumns(results), [results]);
  return (
    <ResourcePage
      crud={preparedMessages}
      title={t('Prepared Messages')}
      description={t('Texts sent as written, with variables filled in for each lead: first messages and follow-ups.')}
      columns={columns}
      filters={preparedFilters()}
      fixedQuery={{ product_id: product?.id }}
      nameOf={(message) => message.name}
      assistantFields={({ type, message, is_follow_up }) => ({ type, message, is_follow_up })}
      rowLink={(message) => ({
        page: 'prepared-message-detail',
        params: { messageId: message.id, messageName: message.name, source: 'prepared-messages' },
      })}
      newLink={{ page: 'prepared-message-detail', params: { source: 'prepared-messages' } }}
      removal={{ crud: preparedMessages }}
      failureText={t('Failed to load prepared messages')}
    />
  );
}

function preparedColumns(results: readonly Column<PreparedMessage>[]): Column<PreparedMessage>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', primary: true, span: 2, render: (message) => message.name },
    { key: 'type', label: t('Type'), sort: 'type', span: 1.5, render: (message) => preparedTypeLabel(message.type) },
    { key: 'message', label: t('Message'), span: 2.75, render: (message) => message.message },
    ...results,
    {
      key: 'is_follow_up',
      label: t('Follow-up'),
      span: 1.25,
      hiddenByDefault: true,
      render: (message) => <YesNo value={message.is_follow_up} yes={t('Yes')} no={t('No')} />,
    },
    {
      key: 'id',
      label: t('ID'),
      sort: 'id',
      number: true,
      span: 1,
      hiddenByDefault: true,
      render: (message) => message.id,
    },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.25,
      render: (message) => <Timestamp iso={message.created_at} />,
    },
  ];
}

function preparedFilters(): Filter[] {
  return [
    { kind: 'options', name: 'type', label: t('Type'), options: preparedTypeOptions() },
    yesNoFilter({ name: 'is_follow_up', label: t('Follow-up'), yes: t('Yes'), no: t('No') }),
    { kind: 'days', name: 'created', label: t('Created') },
  ];
}
