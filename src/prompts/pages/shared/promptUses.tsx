/** Show which prompts of a product are in use, and how saving would change that. */
import { Badge, Group, Stack, Text } from '@mantine/core';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../ui/api.ts';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import { keyOf } from '../../../ui/query.ts';
import { type PromptPlacement, placeOf, replacements } from '../../activePrompts.ts';
import { type Prompt, type PromptUse, prompts, promptsInUse, type UseKind } from '../../contract.ts';
import { promptTypeLabel } from '../promptLabels.tsx';

const argsOf = (productId: number) => ({ params: { product_id: productId } });

/** Cached under the key of the prompt lists, because whatever invalidates those may have changed the uses. */
const inUse = (productId: number) => ({
  queryKey: [...keyOf(prompts.list), 'in use', productId],
  queryFn: () => call(promptsInUse, argsOf(productId)),
  staleTime: 0,
});

/** Read the uses of a product's prompts each time the page opens, because settings on other pages change them too. */
export function usePromptsInUse(productId: number) {
  return useQuery({ ...inUse(productId), enabled: productId > 0 });
}

/** Read the current uses, bypassing the cache. */
export function readPromptsInUse(cache: QueryClient, productId: number): Promise<{ items: PromptUse[] }> {
  return cache.fetchQuery(inUse(productId));
}

const USES: Readonly<Record<UseKind, string>> = {
  product: 'The newest of its type without a group.',
  classification: 'Classifies the dialogues of this product.',
  ping_step: 'Writes a follow-up.',
  document_prompt: 'Writes a document.',
  included: 'Included by another text.',
  lookup: 'Looked up by the model when its description fits.',
};
const OFF: Readonly<Partial<Record<UseKind, string>>> = {
  product: 'Classification is off, so nothing asks for a confirmation.',
  ping_step: 'Follow-ups are off.',
};

/** 'In use' badge of a prompt, or nothing if the prompt is unused. */
export function UseBadge({ uses, promptId }: { uses: readonly PromptUse[]; promptId: number }) {
  const own = uses.filter((one) => one.prompt_id === promptId);
  if (own.length === 0) return null;
  return own.some((one) => one.is_on) ? (
    <Badge color="green">{t('In use')}</Badge>
  ) : (
    <Badge color="gray">{t('Switched off')}</Badge>
  );
}

/** List what uses a prompt, or explain why nothing does. */
export function UseLines({ prompt, productId }: { prompt: Prompt; productId: number }) {
  const read = usePromptsInUse(productId);
  if (read.data === undefined) {
    if (read.error) return <Failure error={read.error} onRetry={() => read.refetch()} />;
    return (
      <Text size="sm" c="dimmed" role="status">
        {t('Loading {{entity}}...', { entity: t('uses') })}
      </Text>
    );
  }
  const { items } = read.data;
  const own = items.filter((one) => one.prompt_id === prompt.id);
  if (own.length === 0) return <Unused prompt={prompt} uses={items} />;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <UseBadge uses={items} promptId={prompt.id} />
        <Text size="sm">{[...new Set(own.map(({ use }) => t(USES[use])))].join(' ')}</Text>
      </Group>
      {own.map(
        ({ use, is_on }) =>
          !is_on &&
          OFF[use] !== undefined && (
            <Text key={use} size="sm" c="dimmed">
              {t(OFF[use])}
            </Text>
          ),
      )}
    </Stack>
  );
}

function Unused({ prompt, uses }: { prompt: Prompt; uses: readonly PromptUse[] }) {
  if (prompt.live_version === null) return <Text size="sm">{t('Not in use: no version was published yet.')}</Text>;
  const place = placeOf(prompt);
  const holder = place === null ? undefined : uses.find((one) => one.place === place);
  if (holder)
    return (
      <Text size="sm">
        {t('Not in use: there is a newer one.')}{' '}
        <PageLink to="prompt-detail" params={{ promptId: holder.prompt_id }}>
          {holder.name}
        </PageLink>
      </Text>
    );
  return <Text size="sm">{t('Not in use: {{why}}', { why: t(reasonOf(prompt)) })}</Text>;
}

function reasonOf({ type, group_id }: Prompt): string {
  if (type === 'subprompt') return 'no other text includes it.';
  if (type === 'classification') return 'classification does not use it.';
  if (type === 'ping') return 'no step of the follow-ups uses it.';
  if (type === 'document') return 'no document prompt uses it.';
  if (group_id !== null) return 'a prompt in a group needs a description, by which the model looks it up.';
  return 'there is a newer one.';
}

/**
 * Describe how saving a prompt as `next` changes which prompts are in use; null if it does not. `isLive`: whether it is
 * live then.
 */
export function consequenceOf(
  uses: readonly PromptUse[],
  before: Prompt | null,
  next: PromptPlacement & { readonly isLive: boolean },
): string | null {
  const lines = replacements(uses, before, next).map(({ replaced, successor }) => {
    const former = replaced?.name ?? '';
    if (successor === 'saved' && next.name.trim() === '')
      return t('“{{former}}” is in use now. This prompt replaces it as soon as it is saved.', { former });
    if (successor === 'saved')
      return t('“{{former}}” is in use now. “{{name}}” replaces it as soon as it is saved.', {
        former,
        name: next.name,
      });
    if (successor === null)
      return t('“{{former}}” is in use now, and no other {{type}} prompt takes its place.', {
        former,
        type: before ? promptTypeLabel(before.type) : '',
      });
    return t('“{{former}}” is in use now. “{{name}}” takes its place as soon as this is saved.', {
      former,
      name: successor.name,
    });
  });
  return lines.length === 0 ? null : lines.join(' ');
}

/** Describe which prompt stops being used when this one is published; null if none does. */
export function consequenceOfPublishing(uses: readonly PromptUse[], prompt: Prompt): string | null {
  const [one] = replacements(uses, prompt, { ...prompt, isLive: true });
  return one === undefined
    ? null
    : t('“{{former}}” is in use now. “{{name}}” replaces it as soon as it is published.', {
        former: one.replaced?.name ?? '',
        name: prompt.name,
      });
}

/** Describe how deleting a prompt changes which prompts are in use; null if it does not. */
export async function consequenceOfDeleting(prompt: Prompt): Promise<string | null> {
  const { items } = await call(promptsInUse, argsOf(prompt.product_id));
  const active = items.find((one) => one.prompt_id === prompt.id && one.place !== null);
  if (!active) return null;
  if (active.next === null) return t('It is in use, and no other prompt takes its place.');
  return t('It is in use. “{{name}}” takes its place.', { name: active.next.name });
}

/** Ask before a change that replaces the active prompt, or its text. `title` says which of the two. */
export function useConsequenceQuestion(title = t('This changes which prompt is in use')) {
  const [pendingQuestion, setPendingQuestion] = useState<{ text: string; confirm: string; go: () => void } | null>(
    null,
  );
  return {
    /** Continues at once when no prompt is replaced. */
    ask: (text: string | null, confirm: string, go: () => void) => {
      if (text === null) go();
      else setPendingQuestion({ text, confirm, go });
    },
    question: pendingQuestion && (
      <ConfirmDialog
        title={title}
        text={pendingQuestion.text}
        confirm={pendingQuestion.confirm}
        run={() => Promise.resolve()}
        onDone={pendingQuestion.go}
        onClose={() => setPendingQuestion(null)}
      />
    ),
  };
}
