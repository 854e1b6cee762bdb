/** The prompt of the playground: which one is chosen, its stored text and the draft. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { normalizeLineEndings } from '../../platform/lineEndings.ts';
import { type Prompt, promptOfProduct, prompts } from '../../prompts/contract.ts';
import { consequenceOf, usePromptsInUse } from '../../prompts/pages/shared/promptUses.tsx';
import { usePublishing } from '../../prompts/pages/shared/usePublishing.tsx';
import { ApiError, call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { parseId, usePage } from '../../ui/page.ts';
import { keyOf, setCachedAnswer, useEndpoint } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { ConflictError, plainDraftCodec, useDraft } from '../../ui/useDraft.tsx';

const TEXT = plainDraftCodec(z.string());
const textOf = (prompt: Prompt | null): string => normalizeLineEndings(prompt?.text ?? '');
const describeText = (text: string) => [{ label: t('Text of the prompt'), value: text, isText: true }];

/** Load the prompt that the address names, else the product's own. */
export function useChosenPrompt(productId: number) {
  const { params } = usePage();
  const requestedId = parseId(params.promptId);
  const own = useEndpoint(
    promptOfProduct,
    { params: { product_id: productId }, query: { type: 'prompt' } },
    { enabled: requestedId === null },
  );
  const promptId = requestedId ?? own.data?.id ?? null;
  const found = useEndpoint(prompts.get, { params: { id: promptId ?? 0 } }, { enabled: promptId !== null });
  const hasNone = own.error instanceof ApiError && own.error.status === 404;
  return {
    promptId,
    prompt: found.data ?? null,
    /** Neither the address nor the product names a prompt. */
    isMissing: hasNone && promptId === null,
    failure: found.error
      ? { error: found.error, onRetry: () => found.refetch() }
      : own.error && !hasNone
        ? { error: own.error, what: t('Failed to load prompts for product'), onRetry: () => own.refetch() }
        : null,
  };
}

/** @param prompt null: none is chosen, or it is loading. A draft belongs to one prompt. */
export function usePromptDraft(prompt: Prompt | null) {
  const cache = useQueryClient();
  const edited = useDraft<Prompt | null, string, string>({
    draftKey: prompt && `playground/${prompt.id}`,
    what: t('Prompt “{{name}}” in the playground', { name: prompt?.name ?? '' }),
    loaded: prompt,
    draftOf: textOf,
    codec: TEXT,
    shared: { reload: async () => prompt && call(prompts.get, { params: { id: prompt.id } }), describe: describeText },
    onStored: (saved) => {
      if (saved === null) return;
      setCachedAnswer(cache, keyOf(prompts.get, { params: { id: saved.id } }), saved);
      void cache.invalidateQueries({ queryKey: keyOf(prompts.list) });
      void cache.invalidateQueries({ queryKey: keyOf(promptOfProduct) });
    },
  });
  const { stored, draft: text, changed: unsaved, setDraft, setStored } = edited;
  const publishing = usePublishing(prompt, prompt?.product_id ?? 0);
  const uses = usePromptsInUse(prompt?.product_id ?? 0).data?.items ?? [];
  const saving = useMutation({
    mutationFn: async (original: Prompt): Promise<Prompt> => {
      const params = { id: original.id };
      const saved = await edited.save((ifMatch) => call(prompts.change, { params, body: { text }, ifMatch }));
      return saved ?? original;
    },
    onSuccess: (saved) => toast.success(t('Saved {{name}}', { name: saved.name })),
    onError: (error) => {
      if (!(error instanceof ConflictError)) toast.error(t('Failed to update prompt'));
    },
  });
  return {
    stored,
    text,
    unsaved,
    setText: (next: string) => prompt && setDraft(next),
    setStored,
    publishing,
    uses,
    /** How saving changes which prompts are in use; null if it does not. Only a prompt that was never live can. */
    replacing:
      stored === null || publishing.savesDraft ? null : consequenceOf(uses, stored, { ...stored, isLive: true }),
    saving,
    error: saving.error instanceof ConflictError ? null : saving.error,
    save: () => {
      if (stored && unsaved && !saving.isPending) saving.mutate(stored);
    },
    guard: edited.guard,
    notice: edited.notice,
  };
}
