/** Publishing and rolling back a prompt: the buttons, and the dialogs that they open. */
import { Button } from '@mantine/core';
import { IconHistory, IconUpload } from '@tabler/icons-react';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Gate } from '../../../products/contract.ts';
import { call, ifMatchOf } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { namesKey } from '../../../ui/optionSource.ts';
import { keyOf, setCachedAnswer, useEndpoint } from '../../../ui/query.ts';
import { toast } from '../../../ui/toast.ts';
import {
  type Prompt,
  type PromptPublication,
  promptOfProduct,
  prompts,
  publicationsOfPrompt,
  rollBackPrompt,
} from '../../contract.ts';
import { isDraft, useGate } from './liveState.tsx';

const PublishDialog = lazy(() => import('./PublishDialog.tsx'));

/** Put a prompt that was published or rolled back into the cache, and refetch what shows what is live. */
export function refreshLive(cache: QueryClient, now: Prompt): void {
  setCachedAnswer(cache, keyOf(prompts.get, { params: { id: now.id } }), now);
  for (const queryKey of [
    ...[prompts.list, promptOfProduct, publicationsOfPrompt].map((one) => keyOf(one)),
    namesKey(prompts),
  ])
    void cache.invalidateQueries({ queryKey });
}

export interface Publishing {
  /** Undefined while it loads. */
  readonly gate: Gate | undefined;
  /** Whether saving keeps a draft. */
  readonly savesDraft: boolean;
  /** The version that a rollback returns to; null: there is none. */
  readonly rollbackVersion: number | null;
  /** Opens the dialog that publishes a version. */
  readonly publish: (version: number) => void;
  /** Makes that version live at once. */
  readonly rollBack: () => void;
  readonly isRollingBack: boolean;
  readonly dialog: ReactNode;
}

/** @param prompt null: a new one, or it is loading. */
export function usePublishing(prompt: Prompt | null, productId: number): Publishing {
  const cache = useQueryClient();
  const gate = useGate(productId);
  const [open, setOpen] = useState<number | null>(null);
  const last = useEndpoint(
    publicationsOfPrompt,
    { query: { prompt_id: prompt?.id ?? 0, limit: 1 } },
    { enabled: prompt !== null },
  );
  const [publication] = last.data?.items ?? [];
  const rollbackVersion = rollbackVersionOf(publication, prompt?.live_version ?? null);
  const onDone = (now: Prompt) => {
    refreshLive(cache, now);
    toast.success(t('Version {{version}} is live', { version: now.live_version ?? 0 }));
  };
  const rolling = useMutation({
    mutationFn: (current: Prompt) => call(rollBackPrompt, { params: { id: current.id }, ifMatch: ifMatchOf(current) }),
    onSuccess: onDone,
    onError: (error) => toast.failure(error),
  });
  return {
    gate,
    savesDraft: gate !== undefined && gate !== 'off',
    rollbackVersion,
    publish: setOpen,
    // Nothing is asked: what has gone wrong live ends with one click.
    rollBack: () => prompt && rolling.mutate(prompt),
    isRollingBack: rolling.isPending,
    dialog:
      prompt === null || open === null ? null : (
        <Suspense>
          <PublishDialog prompt={prompt} version={open} onPublished={onDone} onClose={() => setOpen(null)} />
        </Suspense>
      ),
  };
}

/**
 * Return the version that a rollback returns to; null: there is none. Just after a newer version went live, the last
 * publication that the page knows is the one before it.
 */
export function rollbackVersionOf(
  publication: Pick<PromptPublication, 'version' | 'rollback_version'> | undefined,
  liveVersion: number | null,
): number | null {
  if (publication === undefined || liveVersion === null) return null;
  if (publication.version === liveVersion) return publication.rollback_version;
  return publication.version < liveVersion ? publication.version : null;
}

interface LiveButtonsProps {
  prompt: Prompt;
  publishing: Publishing;
  /** The editor has unsaved changes, which would not be published. */
  unsaved: boolean;
}

/** Publish, where drafts are kept or there is one. */
export function PublishButton({ prompt, publishing, unsaved }: LiveButtonsProps) {
  const hasDraft = isDraft(prompt);
  if (!publishing.savesDraft && !hasDraft) return null;
  const why = unsaved
    ? t('Save the draft first.')
    : hasDraft
      ? undefined
      : t('Version {{version}} is live.', { version: prompt.version });
  return (
    <Button
      size="xs"
      variant={unsaved || !hasDraft ? 'default' : 'filled'}
      leftSection={<IconUpload size="1rem" />}
      disabled={unsaved || !hasDraft}
      title={why}
      onClick={() => publishing.publish(prompt.version)}
    >
      {t('Publish…')}
    </Button>
  );
}

/** Roll back, where something was live before. */
export function RollBackButton({
  publishing: { rollbackVersion, rollBack, isRollingBack },
}: Pick<LiveButtonsProps, 'publishing'>) {
  if (rollbackVersion === null) return null;
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconHistory size="1rem" />}
      loading={isRollingBack}
      onClick={rollBack}
    >
      {t('Roll back to version {{version}}', { version: rollbackVersion })}
    </Button>
  );
}
