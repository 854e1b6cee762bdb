import { useMemo } from 'react';
import type { Column } from '../../ui/columns.ts';
import type { Filter } from '../../ui/filter.ts';
import type { Field } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import type { OptionSource } from '../../ui/optionSource.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { ReferenceName } from '../../ui/ReferenceName.tsx';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { useScope } from '../../ui/scope.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { type DocumentPrompt, documentPrompts } from '../contract.ts';
import { promptsOf } from './promptLabels.tsx';

/** Page of the prompts that write documents for leads. */
export default function DocumentPromptsPage() {
  const { product } = useScope();
  const productId = product?.id ?? 0;
  const source = useMemo(() => promptsOf(productId, 'document'), [productId]);
  const columns = useMemo(() => documentColumns(source), [source]);
  return (
    <ResourcePage
      crud={documentPrompts}
      title={t('Document Prompts')}
      description={t(
        'Documents that a prompt writes for a lead: sent as a message, or inserted by other prompts. A row opens its form.',
      )}
      columns={columns}
      filters={documentFilters(source)}
      fixedQuery={{ product_id: productId }}
      nameOf={(document) => document.name}
      assistantFields={({ document_type, prompt_id }) => ({ document_type, prompt_id })}
      form={{
        crud: documentPrompts,
        fields: () => documentFields(source),
        preset: { product_id: productId, type: 'initial', config: {} },
        allowAssistant: true,
      }}
      removal={{ crud: documentPrompts }}
      emptyText={t('A document prompt lets the model write a text for each lead, such as an offer, before it is sent.')}
    />
  );
}

function documentColumns(source: OptionSource): Column<DocumentPrompt>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', primary: true, span: 2, render: (document) => document.name },
    {
      key: 'document_type',
      label: t('Type'),
      sort: 'document_type',
      span: 1.5,
      render: (document) => document.document_type,
    },
    {
      key: 'prompt_id',
      label: t('Prompt'),
      span: 2,
      render: (document) => (
        <PageLink to="prompt-detail" params={{ promptId: document.prompt_id }}>
          <ReferenceName source={source} id={document.prompt_id} />
        </PageLink>
      ),
    },
    {
      key: 'id',
      label: t('ID'),
      sort: 'id',
      number: true,
      span: 1,
      hiddenByDefault: true,
      render: (document) => document.id,
    },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.25,
      render: (document) => <Timestamp iso={document.created_at} />,
    },
  ];
}

function documentFilters(source: OptionSource): Filter[] {
  return [
    { kind: 'source', name: 'prompt_id', label: t('Prompt'), source },
    { kind: 'days', name: 'created', label: t('Created') },
  ];
}

function documentFields(source: OptionSource): Field[] {
  return [
    { kind: 'hidden', name: 'product_id', label: t('Product') },
    { kind: 'hidden', name: 'type', label: t('Used for') },
    { kind: 'hidden', name: 'config', label: t('Configuration') },
    { kind: 'text', name: 'name', label: t('Name'), required: true },
    {
      kind: 'text',
      name: 'document_type',
      label: t('Type'),
      required: true,
      description: t('Prompts name the written text by it: document.offer'),
    },
    { kind: 'select', name: 'prompt_id', label: t('Prompt'), source, required: true },
  ];
}
