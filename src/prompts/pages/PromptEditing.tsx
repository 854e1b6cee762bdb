import { Alert, Badge, Button, Grid, Stack, Tabs } from '@mantine/core';
import { IconDeviceFloppy } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ApiError, call } from '../../ui/api.ts';
import { MINIMAL_EDITS_PROMPT } from '../../ui/editTextTool.ts';
import { Failure } from '../../ui/Failure.tsx';
import { FormFields } from '../../ui/FormFields.tsx';
import { useFormViewRef } from '../../ui/fillFormTool.ts';
import { bodyOf, describeForm, type Field, type FormValues, valuesOf } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { pageTools } from '../../ui/pageTool.ts';
import { keyOf, setCachedAnswer } from '../../ui/query.ts';
import { useScope } from '../../ui/scope.ts';
import { toast } from '../../ui/toast.ts';
import { useViewRef } from '../../ui/undo.ts';
import { ConflictError, plainDraftCodec, useDraft } from '../../ui/useDraft.tsx';
import { useForm } from '../../ui/useForm.ts';
import { formValues } from '../../ui/usePersistedForm.tsx';
import { sendForm, useSubmit } from '../../ui/useSubmit.ts';
import { type Prompt, prompts, promptTypes, versionsOfPrompt } from '../contract.ts';
import { unknownVariables } from '../templateContract.ts';
import { LeadPreviews } from './LeadPreviews.tsx';
import { PromptHistory } from './PromptHistory.tsx';
import { PromptPurpose } from './PromptPurpose.tsx';
import { groupsOf, promptTypeOptions } from './promptLabels.tsx';
import { PromptText } from './promptText.tsx';
import { PROMPT_FIELDS, promptFieldsTool, promptForm, promptTools, promptView } from './promptTools.ts';
import { consequenceOf, readPromptsInUse, UseLines, useConsequenceQuestion, usePromptsInUse } from './promptUses.tsx';

/** Editor of a prompt; null: a new one. */
export function PromptEditing({ prompt }: { prompt: Prompt | null }) {
  const page = usePage();
  const cache = useQueryClient();
  const { product } = useScope();
  const productId = prompt?.product_id ?? product?.id ?? 0;
  const fields = useMemo(() => promptFields(productId), [productId]);
  // Refers to the settings below the text, which are saved separately.
  const [hasUnsavedSettings, setHasUnsavedSettings] = useState(false);
  const draftOf = (stored: Prompt | null) =>
    valuesOf(fields, stored, { product_id: productId, type: 'prompt', text: '' });
  const refresh = (now: Prompt | null) => {
    if (now === null) return;
    setCachedAnswer(cache, keyOf(prompts.get, { params: { id: now.id } }), now);
    void cache.invalidateQueries({ queryKey: keyOf(prompts.list) });
    void cache.invalidateQueries({ queryKey: keyOf(versionsOfPrompt) });
  };
  const edited = useDraft<Prompt | null, FormValues, FormValues>({
    draftKey: prompt === null ? `prompt/new/${productId}` : `prompt/${prompt.id}`,
    what: prompt === null ? t('New prompt') : t('Prompt “{{name}}”', { name: prompt.name }),
    loaded: prompt,
    draftOf,
    codec: FORM,
    compared: (values) => bodyOf(fields, values),
    shared: {
      reload: async () => prompt && call(prompts.get, { params: { id: prompt.id } }),
      describe: (values) => describeForm(fields, values),
    },
    onStored: refresh,
    alsoUnsaved: hasUnsavedSettings,
  });
  const { stored: saved, setStored: onSaved, guard } = edited;
  const form = useForm(fields, draftOf(saved), [edited.draft, edited.setDraft]);
  const text = String(form.values.text ?? '');
  const type = promptTypes.find((one) => one === form.values.type);
  const store = async (body: Record<string, unknown>): Promise<Prompt> => {
    try {
      if (saved === null) return await call(prompts.create, { body: prompts.create.body.parse(body) });
      const params = { id: saved.id };
      const whole = prompts.update.parse(body);
      return (await edited.save((ifMatch) => call(prompts.replace, { params, body: whole, ifMatch }))) ?? saved;
    } catch (error) {
      if (error instanceof ApiError) toast.error(t('Failed to update prompt'));
      throw error;
    }
  };
  const stored = (now: Prompt) => {
    toast.success(t('Saved {{name}}', { name: now.name }));
    if (saved !== null) return;
    refresh(now);
    guard.release();
    page.go('prompt-detail', { promptId: now.id }, { replace: true });
  };
  const sending = useSubmit(form, store, stored);
  const canSave = form.changed && !sending.pending;
  const next = {
    type: type ?? 'prompt',
    group_id: Number(form.values.group_id ?? 0) || null,
    name: String(form.values.name ?? '').trim(),
  };
  const uses = usePromptsInUse(productId);
  const replacing = uses.data ? consequenceOf(uses.data.items, saved, next) : null;
  const readReplacing = async () => consequenceOf((await readPromptsInUse(cache, productId)).items, saved, next);
  const replacement = useConsequenceQuestion();
  const save = async () => {
    if (!canSave) return;
    if (!form.validate()) return sending.submit();
    try {
      replacement.ask(await readReplacing(), t('Save and replace'), sending.submit);
    } catch (error) {
      toast.error(error instanceof Error ? error.message : t('Failed to update prompt'));
    }
  };
  const back = () => page.back('prompts');
  const unknown = useMemo(() => unknownVariables(text), [text]);
  const formView = promptForm(saved?.id ?? 0);
  useFormViewRef(formView, form, PROMPT_FIELDS);
  const view = promptView(saved?.id ?? 0);
  useViewRef(view, {
    value: text,
    set: (next) => form.set('text', next),
    changed: form.changed || hasUnsavedSettings,
    onSaved,
    onDeleted: () => page.go('prompts', {}, { replace: true }),
  });
  usePageContext({
    description: t('The editor of one prompt: its text, the variables it names, and every text that was ever saved.'),
    summary: JSON.stringify({
      prompt: saved === null ? null : { id: saved.id, name: saved.name, type: saved.type, version: saved.version },
      in_use:
        saved !== null && (uses.data?.items ?? []).filter((one) => one.prompt_id === saved.id).map((one) => one.use),
      unsaved: form.changed,
      unknown_variables: unknown.map((one) => one.path),
      text,
    }),
    systemPrompt: MINIMAL_EDITS_PROMPT,
    ...pageTools(
      promptFieldsTool(formView),
      ...promptTools({
        view,
        saved,
        changed: form.changed,
        replacing,
        save: async () => {
          if ((await readReplacing()) !== replacing)
            throw new Error(t('Which prompt would be replaced has changed meanwhile.'));
          const now = await sendForm(form, store);
          stored(now);
          return now;
        },
      }),
    ),
  });

  return (
    <PageFrame
      title={saved?.name ?? t('New prompt')}
      onBack={back}
      aside={
        form.changed ? (
          <Badge color="yellow">{t('Unsaved')}</Badge>
        ) : (
          saved && <Badge color="gray">{t('Version {{version}}', { version: saved.version })}</Badge>
        )
      }
      actions={
        <Button
          size="xs"
          leftSection={<IconDeviceFloppy size="1rem" />}
          disabled={!canSave}
          loading={sending.pending}
          onClick={() => void save()}
        >
          {t('Save')}
        </Button>
      }
    >
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="sm">
            {edited.notice}
            <PromptText value={text} onChange={(next) => form.set('text', next)} onSave={() => void save()} />
            {form.errors.text !== undefined && <Failure error={new Error(form.errors.text)} />}
            {replacing !== null && (
              <Alert color="yellow" role="status">
                {replacing}
              </Alert>
            )}
            {sending.error && !(sending.error instanceof ConflictError) && <Failure error={sending.error} />}
            <FormFields form={{ ...form, fields: fields.filter((field) => field.name !== 'text') }} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="md">
            {saved && <UseLines prompt={saved} productId={productId} />}
            {type && (
              <PromptPurpose
                prompt={saved?.type === type ? saved : null}
                type={type}
                productId={productId}
                onChanged={setHasUnsavedSettings}
              />
            )}
            <Tabs defaultValue="rendered" keepMounted={false}>
              <Tabs.List mb="sm">
                <Tabs.Tab value="rendered">{t('As the model reads it')}</Tabs.Tab>
                {saved && <Tabs.Tab value="history">{t('History')}</Tabs.Tab>}
              </Tabs.List>
              <Tabs.Panel value="rendered">
                <LeadPreviews productId={productId} text={text} kind="prompt" narrow />
              </Tabs.Panel>
              {saved && (
                <Tabs.Panel value="history">
                  <PromptHistory prompt={saved} unsaved={form.changed} onRestored={onSaved} />
                </Tabs.Panel>
              )}
            </Tabs>
          </Stack>
        </Grid.Col>
      </Grid>
      {replacement.question}
      {guard.question}
    </PageFrame>
  );
}

const FORM = plainDraftCodec<FormValues>(formValues);

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
      description: t("A prompt in a group is looked up by the model when it fits; it is not the product's own prompt."),
    },
    {
      kind: 'textarea',
      name: 'rag_description',
      label: t('Described to the model'),
      description: t('What the model reads to decide whether it wants this text.'),
    },
  ];
}
