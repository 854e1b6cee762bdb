import { IconListDetails } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { Column } from '../../ui/columns.ts';
import type { Field } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { usePage } from '../../ui/page.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { useScope } from '../../ui/scope.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { type PromptGroup, promptGroups } from '../contract.ts';

/** Page of the groups of texts that the model can look up. */
export default function PromptGroupsPage() {
  const { product } = useScope();
  const page = usePage();
  const columns = useMemo(groupColumns, []);
  const open = (group: PromptGroup) => ({ page: 'prompts', params: { group_id: String(group.id) } });
  return (
    <ResourcePage
      crud={promptGroups}
      title={t('RAG Prompts')}
      description={t(
        'Groups of texts that the model reads when their description fits the question. A row shows the texts of the group.',
      )}
      columns={columns}
      filters={[{ kind: 'days', name: 'created', label: t('Created') }]}
      fixedQuery={{ product_id: product?.id }}
      nameOf={(group) => group.name}
      assistantFields={({ description }) => ({ description })}
      rowLink={open}
      form={{ crud: promptGroups, fields: groupFields, preset: { product_id: product?.id }, allowAssistant: true }}
      removal={{ crud: promptGroups }}
      failureText={t('Failed to load prompts for product')}
      actions={(group) => [
        { label: t('Texts of the group'), icon: IconListDetails, run: () => page.go('prompts', open(group).params) },
      ]}
    />
  );
}

function groupColumns(): Column<PromptGroup>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', primary: true, span: 2, render: (group) => group.name },
    { key: 'description', label: t('Description'), span: 4, render: (group) => group.description ?? '–' },
    {
      key: 'id',
      label: t('ID'),
      sort: 'id',
      number: true,
      span: 1,
      hiddenByDefault: true,
      render: (group) => group.id,
    },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.25,
      render: (group) => <Timestamp iso={group.created_at} />,
    },
  ];
}

function groupFields(): Field[] {
  return [
    { kind: 'hidden', name: 'product_id', label: t('Product') },
    { kind: 'text', name: 'name', label: t('Name'), required: true },
    { kind: 'textarea', name: 'description', label: t('Description') },
  ];
}
