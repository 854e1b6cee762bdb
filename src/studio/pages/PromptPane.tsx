/** The prompt of the playground: chosen, edited and saved. */
import { Badge, Button, Group, Text } from '@mantine/core';
import { IconDeviceFloppy } from '@tabler/icons-react';
import { useMemo } from 'react';
import { prompts } from '../../prompts/contract.ts';
import { isDraft, LiveBadges, promptLabel } from '../../prompts/pages/shared/liveState.tsx';
import { PromptText } from '../../prompts/pages/shared/promptText.tsx';
import { UseBadge, useConsequenceQuestion } from '../../prompts/pages/shared/promptUses.tsx';
import { PublishButton, RollBackButton } from '../../prompts/pages/shared/usePublishing.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { optionSource } from '../../ui/optionSource.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { usePage } from '../../ui/page.ts';
import { useEndpoint } from '../../ui/query.ts';
import { ReferenceSelect } from '../../ui/ReferenceSelect.tsx';
import type { useChosenPrompt, usePromptDraft } from './usePromptDraft.ts';

interface PromptPaneProps {
  productId: number;
  chosen: ReturnType<typeof useChosenPrompt>;
  edited: ReturnType<typeof usePromptDraft>;
}

export function PromptPane({ productId, chosen: { promptId, prompt, failure, isMissing }, edited }: PromptPaneProps) {
  const { setParams } = usePage();
  const source = useMemo(
    () =>
      optionSource({
        resource: prompts,
        labelOf: promptLabel,
        query: { product_id: [productId] },
        failureText: t('Failed to load prompts for product'),
      }),
    [productId],
  );
  const { saving, publishing, uses } = edited;
  const replacement = useConsequenceQuestion();
  const save = () => replacement.ask(edited.replacing, t('Save and replace'), edited.save);
  return (
    <>
      {edited.notice}
      <Group gap="xs" align="flex-end">
        <ReferenceSelect
          source={source}
          value={String(promptId ?? '')}
          onChange={(id) => edited.guard.ask(() => setParams({ promptId: id }))}
          label={t('Prompt')}
          placeholder={t('Choose a prompt')}
          style={{ flex: '1 1 12rem', minWidth: 0 }}
        />
        {/* As high as the field, so that all of the line is on one axis. */}
        <Group gap="xs" h="2.25rem" wrap="nowrap">
          {prompt && <UseBadge uses={uses} promptId={prompt.id} />}
          {edited.unsaved && <Badge color="yellow">{t('Unsaved')}</Badge>}
        </Group>
        <Button
          leftSection={<IconDeviceFloppy size="1rem" />}
          disabled={!edited.unsaved || saving.isPending}
          loading={saving.isPending}
          onClick={save}
        >
          {publishing.savesDraft ? t('Save draft') : t('Save')}
        </Button>
      </Group>
      {prompt && (publishing.savesDraft || isDraft(prompt)) && (
        <Group gap="xs">
          <LiveBadges prompt={prompt} />
          <RollBackButton publishing={publishing} />
          <PublishButton prompt={prompt} publishing={publishing} unsaved={edited.unsaved} />
        </Group>
      )}
      {edited.error && <Failure error={edited.error} />}
      {failure && <Failure {...failure} />}
      {isMissing && <NothingLive productId={productId} />}
      {/* The key gives each prompt its own undo history. */}
      {prompt && <PromptText key={prompt.id} value={edited.text} onChange={edited.setText} onSave={save} />}
      {replacement.question}
      {publishing.dialog}
    </>
  );
}

/** Why no prompt is chosen: none is live, or there is none at all. */
function NothingLive({ productId }: { productId: number }) {
  const drafts = useEndpoint(prompts.list, { query: { product_id: [productId], type: ['prompt'], limit: 1 } });
  if (!drafts.data) return null;
  return (
    <Text size="sm" c="dimmed">
      {drafts.data.items.length > 0 ? (
        t('No prompt of this product is live: leads get no answers. Choose a draft to try and publish it.')
      ) : (
        <>
          {t('The product has no prompt yet.')} <PageLink to="prompt-detail">{t('Write a prompt')}</PageLink>
        </>
      )}
    </Text>
  );
}
