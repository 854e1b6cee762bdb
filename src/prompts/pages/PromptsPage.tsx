import { Badge } from '@mantine/core';
import { useMemo } from 'react';
import { StageDetectionOff } from '../../conversations/pages/shared/stageDetection.tsx';
import { useResultColumns } from '../../outcomes/pages/shared/resultColumns.tsx';
import type { Column } from '../../ui/columns.ts';
import type { Filter } from '../../ui/filter.ts';
import { t } from '../../ui/i18n.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { useScope } from '../../ui/scope.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { type Prompt, type PromptUse, prompts } from '../contract.ts';
import { ClassificationButton } from './ClassificationButton.tsx';
import { countedPrompt, groupsOf, promptTypeLabel, promptTypeOptions } from './promptLabels.tsx';
import { draftText, isDraft, liveCell, useGate } from './shared/liveState.tsx';
import { consequenceOfDeleting, UseBadge, usePromptsInUse } from './shared/promptUses.tsx';
import { errorsOf } from './shared/TemplateErrors.tsx';

export default function PromptsPage() {
  const { product } = useScope();
  const productId = product?.id ?? 0;
  const uses = usePromptsInUse(productId).data?.items;
  const results = useResultColumns(productId, countedPrompt);
  const gate = useGate(productId);
  const savesDraft = gate !== undefined && gate !== 'off';
  const columns = useMemo(() => promptColumns(uses ?? [], results, savesDraft), [uses, results, savesDraft]);
  const filters = useMemo(() => promptFilters(productId), [productId]);
  return (
    <ResourcePage
      crud={prompts}
      title={t('Prompts')}
      description={t('The prompts of the chosen product, by purpose. A row opens the editor.')}
      columns={columns}
      filters={filters}
      fixedQuery={{ product_id: productId }}
      nameOf={(prompt) => prompt.name}
      assistantFields={({ id, type, version, live_version, live_since, author, saved_at, group_id, text }) => ({
        type,
        in_use: (uses ?? []).filter((one) => one.prompt_id === id).map((one) => one.use),
        version,
        live_version,
        live_since,
        author,
        saved_at,
        group_id,
        text,
      })}
      rowLink={(prompt) => ({ page: 'prompt-detail', params: { promptId: prompt.id } })}
      newLink={{ page: 'prompt-detail', params: {} }}
      removal={{ crud: prompts, cascadeCounts: consequenceOfDeleting }}
      buttons={productId > 0 && <ClassificationButton productId={productId} />}
      above={productId > 0 && <StageDetectionOff productId={productId} m="md" mb={0} />}
      failureText={t('Failed to load prompts for product')}
    />
  );
}

function promptColumns(
  uses: readonly PromptUse[],
  results: readonly Column<Prompt>[],
  savesDraft: boolean,
): Column<Prompt>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', primary: true, span: 2.1, render: (prompt) => prompt.name },
    { key: 'type', label: t('Type'), sort: 'type', span: 1.6, render: (prompt) => promptTypeLabel(prompt.type) },
    {
      key: 'in_use',
      label: t('In use'),
      span: 1.25,
      render: (prompt) => <UseBadge uses={uses} promptId={prompt.id} />,
    },
    ...results,
    {
      key: 'version',
      label: t('Version'),
      number: true,
      span: 1.25,
      render: (prompt) => <Version prompt={prompt} />,
    },
    {
      key: 'live',
      label: t('Live version'),
      hint: t('The version that leads get, and since when'),
      span: 1.25,
      hiddenByDefault: !savesDraft,
      render: liveCell,
    },
    {
      key: 'author',
      label: t('Saved by'),
      span: 1.5,
      hiddenByDefault: true,
      render: (prompt) => prompt.author ?? '–',
    },
    {
      key: 'saved_at',
      label: t('Saved'),
      sort: 'saved_at',
      span: 1.25,
      // Beside what is live there is no room for it on a laptop.
      hiddenByDefault: savesDraft,
      render: (prompt) => <Timestamp iso={prompt.saved_at} />,
    },
    {
      key: 'rag_description',
      label: t('When the AI should use this'),
      hiddenByDefault: true,
      render: (prompt) => prompt.rag_description ?? '–',
    },
    {
      key: 'id',
      label: t('ID'),
      sort: 'id',
      number: true,
      span: 1,
      hiddenByDefault: true,
      render: (prompt) => prompt.id,
    },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.25,
      hiddenByDefault: true,
      render: (prompt) => <Timestamp iso={prompt.created_at} />,
    },
  ];
}

function promptFilters(productId: number): Filter[] {
  return [
    { kind: 'options', name: 'type', label: t('Type'), options: promptTypeOptions() },
    { kind: 'source', name: 'group_id', label: t('Group'), source: groupsOf(productId) },
    { kind: 'days', name: 'created', label: t('Created') },
  ];
}

/** The version saved last, and whether its text has errors. */
function Version({ prompt }: { prompt: Prompt }) {
  const errors = useMemo(() => errorsOf(prompt.text), [prompt.text]);
  return (
    <>
      {isDraft(prompt) ? (
        <Badge color="yellow" title={draftText(prompt)}>
          {t('Draft {{version}}', { version: prompt.version })}
        </Badge>
      ) : (
        prompt.version
      )}
      {errors.length > 0 && (
        <Badge color="red" ml={4} title={errors.join('\n')}>
          {t('Errors')}
        </Badge>
      )}
    </>
  );
}
