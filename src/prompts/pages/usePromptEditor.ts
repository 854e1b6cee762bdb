/** Editing of a prompt, with a question before it replaces the prompt that is in use. */
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ApiError } from '../../ui/api.ts';
import { MINIMAL_EDITS_PROMPT } from '../../ui/editTextTool.ts';
import { useFormViewRef } from '../../ui/fillFormTool.ts';
import type { Field } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { pageTools } from '../../ui/pageTool.ts';
import { keyOf } from '../../ui/query.ts';
import { useScope } from '../../ui/scope.ts';
import { toast } from '../../ui/toast.ts';
import { useViewRef } from '../../ui/undo.ts';
import { useRowEditor } from '../../ui/useRowEditor.ts';
import { type Prompt, prompts, promptTypes, publicationsOfPrompt, versionsOfPrompt } from '../contract.ts';
import { groupsOf, promptTypeOptions } from './promptLabels.tsx';
import { liveTools } from './shared/liveTools.ts';
import { PROMPT_FIELDS, promptFieldsTool, promptForm, promptTools, promptView } from './shared/promptTools.ts';
import { consequenceOf, readPromptsInUse, useConsequenceQuestion, usePromptsInUse } from './shared/promptUses.tsx';
import { readExperimentQuestion, usePublishConsequence } from './shared/runningExperiment.ts';
import { errorsOf } from './shared/TemplateErrors.tsx';
import { usePublishing } from './shared/usePublishing.tsx';

export function usePromptEditor(prompt: Prompt | null) {
  const page = usePage();
  const cache = useQueryClient();
  const { product } = useScope();
  const productId = prompt?.product_id ?? product?.id ?? 0;
  const fields = useMemo(() => promptFields(productId), [productId]);
  // Refers to the settings below the text, which are saved separately.
  const [hasUnsavedSettings, setHasUnsavedSettings] = useState(false);
  const editor = useRowEditor<Prompt>({
    crud: prompts,
    row: prompt,
    fields,
    preset: { product_id: productId, type: 'prompt', text: '' },
    draftKeyOf: (id) => (id === null ? `prompt/new/${productId}` : `prompt/${id}`),
    what: prompt === null ? t('New prompt') : t('Prompt “{{name}}”', { name: prompt.name }),
    onStored: () => {
      for (const endpoint of [versionsOfPrompt, publicationsOfPrompt])
        void cache.invalidateQueries({ queryKey: keyOf(endpoint) });
    },
    onCreated: ({ id }) => page.go('prompt-detail', { promptId: id }, { replace: true }),
    onFailed: (error) => error instanceof ApiError && toast.error(t('Failed to update prompt')),
    alsoUnsaved: hasUnsavedSettings,
  });
  const { saved, form } = editor;
  const publishing = usePublishing(prompt, productId);
  const type = promptTypes.find((one) => one === form.values.type);
  const text = String(form.values.text ?? '');
  const next = {
    type: type ?? 'prompt',
    group_id: Number(form.values.group_id ?? 0) || null,
    name: String(form.values.name ?? '').trim(),
    // What is saved beside the text changes nothing of what is live.
    isLive: saved !== null && saved.live_version !== null ? true : text !== saved?.text && !publishing.savesDraft,
  };
  const uses = usePromptsInUse(productId).data?.items;
  const replacing = uses ? consequenceOf(uses, saved, next) : null;
  const readReplacing = async () => consequenceOf((await readPromptsInUse(cache, productId)).items, saved, next);
  const replacement = useConsequenceQuestion();
  const canSave = form.changed && !editor.pending;
  return {
    ...editor,
    productId,
    text,
    type,
    publishing,
    uses,
    hasUnsavedSettings,
    setHasUnsavedSettings,
    /** How saving changes which prompts are in use; null if it does not. */
    replacing,
    question: replacement.question,
    canSave,
    save: async () => {
      if (!canSave) return;
      if (!form.validate()) return editor.submit();
      try {
        const isLive = next.isLive && text !== saved?.text && !publishing.savesDraft;
        const experiment = isLive ? await readExperimentQuestion(cache, productId, next) : null;
        const question = [await readReplacing(), experiment].filter((one) => one !== null).join(' ');
        const confirm = experiment === null ? t('Save and replace') : t('Save anyway');
        replacement.ask(question === '' ? null : question, confirm, editor.submit);
      } catch (error) {
        toast.error(error instanceof Error ? error.message : t('Failed to update prompt'));
      }
    },
    saveNow: async () => {
      if ((await readReplacing()) !== replacing)
        throw new Error(t('The prompt that would be replaced has changed in the meantime.'));
      return editor.saveNow();
    },
  };
}

/** Publish the editor to the assistant. */
export function usePromptContext(editor: ReturnType<typeof usePromptEditor>): void {
  const page = usePage();
  const { saved, form, text, uses = [], replacing, publishing, saveNow } = editor;
  const errors = useMemo(() => errorsOf(text), [text]);
  const { consequence } = usePublishConsequence(uses, saved);
  const formView = promptForm(saved?.id ?? 0);
  useFormViewRef(formView, form, PROMPT_FIELDS);
  const view = promptView(saved?.id ?? 0);
  useViewRef(view, {
    value: text,
    set: (next) => form.set('text', next),
    changed: form.changed || editor.hasUnsavedSettings,
    onSaved: editor.setStored,
    onDeleted: () => page.go('prompts', {}, { replace: true }),
  });
  usePageContext({
    description: t('The editor of one prompt: its text, the variables it names, and every text that was ever saved.'),
    summary: JSON.stringify({
      prompt:
        saved === null
          ? null
          : {
              id: saved.id,
              name: saved.name,
              type: saved.type,
              version: saved.version,
              live_version: saved.live_version,
              live_since: saved.live_since,
            },
      saving_keeps_a_draft: publishing.savesDraft,
      in_use: saved !== null && uses.filter((one) => one.prompt_id === saved.id).map((one) => one.use),
      unsaved: form.changed,
      errors_of_the_text: errors,
      text,
    }),
    systemPrompt: MINIMAL_EDITS_PROMPT,
    ...pageTools(
      promptFieldsTool(formView),
      ...promptTools({
        view,
        saved,
        changed: form.changed,
        savesDraft: publishing.savesDraft,
        replacing,
        save: saveNow,
      }),
      ...(saved === null ? [] : liveTools({ prompt: saved, publishing, consequence })),
    ),
  });
}

function promptFields(productId: number): Field[] {
  return [
    { kind: 'hidden', name: 'product_id', label: t('Product') },
    { kind: 'textarea', name: 'text', label: t('Text'), required: true },
    { kind: 'text', name: 'name', label: t('Name'), required: true },
    { kind: 'select', name: 'type', label: t('Type'), options: promptTypeOptions(), required: true },
    {
      kind: 'select',
      name: 'group_id',
      label: t('Group'),
      source: groupsOf(productId),
      description: t(
        'The model looks up a prompt in a group when it fits. It is not used as the product’s main prompt.',
      ),
    },
    {
      kind: 'textarea',
      name: 'rag_description',
      label: t('When the AI should use this'),
      description: t('The model reads this to decide whether it needs the text.'),
    },
  ];
}
