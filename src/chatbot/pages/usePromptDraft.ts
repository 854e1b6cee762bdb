/** The text of a prompt while it is edited beside the models: what is stored, what stands in the editor. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../kit/api.ts';
import { withLineFeeds } from '../../kit/lineEnds.ts';
import { keyOf, putAnswer } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { type Prompt, promptOfProduct, prompts } from '../../prompts/contract.ts';

/** @param prompt null: none is chosen, or it is on its way. What is typed belongs to one prompt and goes with it. */
export function usePromptDraft(prompt: Prompt | null) {
  const cache = useQueryClient();
  const [draft, setDraft] = useState<{ of: number; text: string } | null>(null);
  const saved = withLineFeeds(prompt?.text ?? '');
  const text = draft && draft.of === prompt?.id ? draft.text : saved;
  const unsaved = prompt !== null && text !== saved;
  const took = (now: Prompt, sent: string) => {
    putAnswer(cache, keyOf(prompts.get, { params: { id: now.id } }), now);
    void cache.invalidateQueries({ queryKey: keyOf(prompts.list) });
    void cache.invalidateQueries({ queryKey: keyOf(promptOfProduct) });
    // What was typed since stays, and stays unsaved.
    setDraft((typed) => (typed?.text === sent ? null : typed));
  };
  const saving = useMutation({
    mutationFn: ({ of, sent }: { of: Prompt; sent: string }) =>
      call(prompts.change, { params: { id: of.id }, body: { text: sent, version: of.version } }),
    onSuccess: (now, { sent }) => {
      took(now, sent);
      toast.success(t('Saved {{name}}', { name: now.name }));
    },
    onError: () => toast.error(t('Failed to update prompt')),
  });
  return {
    text,
    unsaved,
    put: (next: string) => prompt && setDraft({ of: prompt.id, text: next }),
    took: (now: Prompt) => took(now, text),
    saving,
    save: () => {
      if (prompt && unsaved && !saving.isPending) saving.mutate({ of: prompt, sent: text });
    },
  };
}
