/** The text of a prompt edited in the playground: the stored text and the draft. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { type Prompt, promptOfProduct, prompts } from '../../prompts/contract.ts';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { normalizeLineEndings } from '../../ui/lineEndings.ts';
import { keyOf, setCachedAnswer } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { ConflictError, plainDraftCodec, useDraft } from '../../ui/useDraft.tsx';

const TEXT = plainDraftCodec(z.string());
const textOf = (prompt: Prompt | null): string => normalizeLineEndings(prompt?.text ?? '');
const describeText = (text: string) => [{ label: t('Text of the prompt'), value: text, isText: true }];

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
    took: setStored,
    saving,
    error: saving.error instanceof ConflictError ? null : saving.error,
    save: () => {
      if (stored && unsaved && !saving.isPending) saving.mutate(stored);
    },
    guard: edited.guard,
    notice: edited.notice,
  };
}
