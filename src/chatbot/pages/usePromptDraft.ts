/** The text of a prompt while it is edited beside the models: what is stored, what stands in the editor. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { call } from '../../kit/api.ts';
import { Conflict, plainDraft, useEdited } from '../../kit/edited.tsx';
import { withLineFeeds } from '../../kit/lineEnds.ts';
import { keyOf, putAnswer } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { type Prompt, promptOfProduct, prompts } from '../../prompts/contract.ts';

const TEXT = plainDraft(z.string());
const textOf = (prompt: Prompt | null): string => withLineFeeds(prompt?.text ?? '');
const describe = (text: string) => [{ label: t('Text of the prompt'), value: text, isText: true }];

/** @param prompt null: none is chosen, or it is on its way. What is typed belongs to one prompt and goes with it. */
export function usePromptDraft(prompt: Prompt | null) {
  const cache = useQueryClient();
  const edited = useEdited<Prompt | null, string, string>({
    place: prompt && `playground/${prompt.id}`,
    what: t('Prompt “{{name}}” in the playground', { name: prompt?.name ?? '' }),
    found: prompt,
    draftOf: textOf,
    form: TEXT,
    shared: { reread: async () => prompt && call(prompts.get, { params: { id: prompt.id } }), describe },
    onStored: (now) => {
      if (now === null) return;
      putAnswer(cache, keyOf(prompts.get, { params: { id: now.id } }), now);
      void cache.invalidateQueries({ queryKey: keyOf(prompts.list) });
      void cache.invalidateQueries({ queryKey: keyOf(promptOfProduct) });
    },
  });
  const { stored, draft: text, changed: unsaved, setDraft, took } = edited;
  const saving = useMutation({
    mutationFn: async (of: Prompt): Promise<Prompt> => {
      const params = { id: of.id };
      const now = await edited.save((ifMatch) => call(prompts.change, { params, body: { text }, ifMatch }));
      return now ?? of;
    },
    onSuccess: (now) => toast.success(t('Saved {{name}}', { name: now.name })),
    onError: (error) => {
      if (!(error instanceof Conflict)) toast.error(t('Failed to update prompt'));
    },
  });
  return {
    stored,
    text,
    unsaved,
    put: (next: string) => prompt && setDraft(next),
    took,
    saving,
    error: saving.error instanceof Conflict ? null : saving.error,
    save: () => {
      if (stored && unsaved && !saving.isPending) saving.mutate(stored);
    },
    guard: edited.guard,
    notice: edited.notice,
  };
}
