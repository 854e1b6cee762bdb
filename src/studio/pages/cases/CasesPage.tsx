import { Badge, Button } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { prompts } from '../../../prompts/contract.ts';
import type { Column } from '../../../ui/columns.ts';
import type { Filter } from '../../../ui/filter.ts';
import { t } from '../../../ui/i18n.ts';
import { optionSource } from '../../../ui/optionSource.ts';
import { parseId, usePage } from '../../../ui/page.ts';
import { ReferenceName } from '../../../ui/ReferenceName.tsx';
import { ResourcePage } from '../../../ui/ResourcePage.tsx';
import { useScope } from '../../../ui/scope.ts';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { caseSources, type StudioCase, studioCases } from '../../caseContract.ts';
import { requirementText, sourceLabel } from '../labels.ts';
import { startTools } from '../runs/runTools.ts';
import { StartRunDialog } from '../runs/StartRunDialog.tsx';
import { StudioTabs } from '../StudioTabs.tsx';
import { promptSource } from '../shared/promptSource.ts';
import { listTools } from './caseTools.ts';

/** Page of the test cases of the chosen product. */
export default function CasesPage() {
  const { product } = useScope();
  const { params, go } = usePage();
  const productId = product?.id ?? 0;
  const promptId = parseId(params['promptId'] ?? params['prompt_id']);
  const [isStarting, setStarting] = useState(false);
  const columns = useMemo(caseColumns, []);
  const assistant = useMemo(() => [...listTools(productId), ...startTools()], [productId]);
  return (
    <>
      <ResourcePage<StudioCase>
        crud={studioCases}
        title={t('Test cases')}
        singular={t('test case')}
        description={t(
          'Test cases of the chosen product: conversations up to one answer, and what an answer to them has to meet. Runs try prompts on them before they go live.',
        )}
        columns={columns}
        filters={caseFilters(productId)}
        fixedQuery={{ product_id: productId, ...(promptId === null ? {} : { prompt_id: promptId }) }}
        nameOf={({ name }) => name}
        assistantFields={({ source, prompt_id, requirements, rubric, is_enabled }) => ({
          source,
          prompt_id,
          requirements: requirements.map(requirementText),
          rubric,
          is_enabled,
        })}
        assistant={assistant}
        rowLink={({ id }) => ({ page: 'studio-case', params: { caseId: id } })}
        newLink={{ page: 'studio-case', params: { promptId } }}
        removal={{ crud: studioCases }}
        above={<StudioTabs />}
        buttons={
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlayerPlay size="1rem" />}
            onClick={() => setStarting(true)}
          >
            {t('Run test cases')}
          </Button>
        }
        emptyText={t(
          'A test case is a conversation up to one answer, and what that answer has to meet. Make one from any message of the bot: Keep this, Never this, or Should have said.',
        )}
        failureText={t('Failed to load test cases')}
      />
      {isStarting && (
        <StartRunDialog
          productId={productId}
          preset={{ kind: 'gate', promptId }}
          onStarted={({ id }) => go('studio-run', { runId: id })}
          onClose={() => setStarting(false)}
        />
      )}
    </>
  );
}

const promptNames = optionSource({ resource: prompts, labelOf: ({ name }) => name });

function caseColumns(): Column<StudioCase>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', primary: true, span: 3, render: ({ name }) => name },
    { key: 'source', label: t('Made by'), span: 1.4, render: ({ source }) => sourceLabel(source) },
    {
      key: 'requirements',
      label: t('An answer has to'),
      span: 3,
      render: ({ requirements, rubric }) =>
        [...requirements.map(requirementText), ...(rubric === null ? [] : [rubric])].join(' · ') || '–',
      text: ({ requirements, rubric }) =>
        [...requirements.map(requirementText), ...(rubric === null ? [] : [rubric])].join('; '),
    },
    {
      key: 'prompt',
      label: t('Prompt'),
      span: 1.9,
      render: ({ prompt_id: id }) => (id === null ? t('Any') : <ReferenceName source={promptNames} id={id} />),
      text: ({ prompt_id: id }) => (id === null ? t('Any') : String(id)),
    },
    {
      key: 'is_enabled',
      label: t('State'),
      span: 1,
      render: ({ is_enabled: isOn }) => <Badge color={isOn ? 'green' : 'gray'}>{isOn ? t('On') : t('Off')}</Badge>,
      text: ({ is_enabled: isOn }) => (isOn ? t('On') : t('Off')),
    },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.25,
      render: ({ created_at }) => <Timestamp iso={created_at} />,
    },
  ];
}

function caseFilters(productId: number): Filter[] {
  return [
    { kind: 'source', name: 'prompt_id', label: t('Prompt'), source: promptSource(productId) },
    {
      kind: 'options',
      name: 'source',
      label: t('Made by'),
      options: caseSources.map((value) => ({ value, label: sourceLabel(value) })),
    },
    {
      kind: 'options',
      name: 'is_enabled',
      label: t('State'),
      options: [
        { value: 'true', label: t('On') },
        { value: 'false', label: t('Off') },
      ],
    },
    { kind: 'days', name: 'created', label: t('Created') },
  ];
}
