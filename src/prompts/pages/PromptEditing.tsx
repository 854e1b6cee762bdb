import { Badge, Button, Grid, Stack, Tabs } from '@mantine/core';
import { IconDeviceFloppy } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ApiError, call } from '../../kit/api.ts';
import { useFollow } from '../../kit/edited.ts';
import { Failure } from '../../kit/Failure.tsx';
import { FormFields } from '../../kit/FormFields.tsx';
import { useFormInView } from '../../kit/fillTool.ts';
import { type Field, valuesOf } from '../../kit/form.ts';
import { useLeaveGuard } from '../../kit/leaveGuard.tsx';
import { withLineFeeds } from '../../kit/lineEnds.ts';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { usePage } from '../../kit/page.ts';
import { usePageContext } from '../../kit/pageContext.ts';
import { pageTools } from '../../kit/pageTool.ts';
import { keyOf, putAnswer } from '../../kit/query.ts';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { MINIMAL_EDITS } from '../../kit/textTool.ts';
import { toast } from '../../kit/toast.ts';
import { useInView } from '../../kit/undo.ts';
import { useForm } from '../../kit/useForm.ts';
import { sendForm, useSubmit } from '../../kit/useSubmit.ts';
import { type Prompt, prompts, promptTypes, versionsOfPrompt } from '../contract.ts';
import { unknownVariables } from '../templateContract.ts';
import { ConflictDialog } from './ConflictDialog.tsx';
import { LeadPreviews } from './LeadPreviews.tsx';
import { groupsOf, promptTypeOptions } from './look.tsx';
import { PromptHistory } from './PromptHistory.tsx';
import { PromptPurpose } from './PromptPurpose.tsx';
import { PromptText } from './promptText.tsx';
import { PROMPT_FIELDS, promptFieldsTool, promptForm, promptTools, promptView } from './promptTools.ts';

/** Edits a prompt; null: a new one. */
export function PromptEditing({ prompt }: { prompt: Prompt | null }) {
  const page = usePage();
  const cache = useQueryClient();
  const { product } = useScope();
  const productId = prompt?.product_id ?? product?.id ?? 0;
  const [saved, setSaved] = useState(prompt);
  const [theirs, setTheirs] = useState<Prompt | null>(null);
  const fields = useMemo(() => promptFields(productId), [productId]);
  const initial = useMemo(
    () => valuesOf(fields, saved, { product_id: productId, type: 'prompt', text: '' }),
    [fields, saved, productId],
  );
  const form = useForm(fields, initial);
  const text = String(form.values.text ?? '');
  const type = promptTypes.find((one) => one === form.values.type);
  // Of the settings beneath, which are saved by themselves.
  const [unsettled, setUnsettled] = useState(false);
  const guard = useLeaveGuard(form.changed || unsettled);
  const refresh = (now: Prompt) => {
    putAnswer(cache, keyOf(prompts.get, { params: { id: now.id } }), now);
    void cache.invalidateQueries({ queryKey: keyOf(prompts.list) });
    void cache.invalidateQueries({ queryKey: keyOf(versionsOfPrompt) });
  };
  const show = (now: Prompt) => {
    setSaved(now);
    for (const [name, value] of Object.entries(valuesOf(fields, now))) form.set(name, value);
  };
  useFollow(prompt, { stored: saved, changed: form.changed }, (now) => now && show(now));
  const store = async (body: Record<string, unknown>): Promise<Prompt> => {
    try {
      if (saved === null) return await call(prompts.create, { body: prompts.create.body.parse(body) });
      const whole = prompts.replace.body.parse({ ...body, version: saved.version });
      return await call(prompts.replace, { params: { id: saved.id }, body: whole });
    } catch (error) {
      if (error instanceof ApiError && error.status === 409 && saved !== null)
        setTheirs(await call(prompts.get, { params: { id: saved.id } }));
      if (error instanceof ApiError && error.status !== 422) toast.error(t('Failed to update prompt'));
      throw error;
    }
  };
  const stored = (now: Prompt) => {
    toast.success(t('Saved {{name}}', { name: now.name }));
    refresh(now);
    if (saved === null) {
      guard.release();
      page.go('prompt-detail', { promptId: now.id }, { replace: true });
    } else setSaved(now);
  };
  const sending = useSubmit(form, store, stored);
  const canSave = form.changed && !sending.pending;
  const save = () => {
    if (canSave) sending.submit();
  };
  const back = () => page.back('prompts');
  const unknown = useMemo(() => unknownVariables(text), [text]);
  const formView = promptForm(saved?.id ?? 0);
  useFormInView(formView, form, PROMPT_FIELDS);
  const view = promptView(saved?.id ?? 0);
  useInView(view, {
    value: text,
    put: (next) => form.set('text', next),
    changed: form.changed || unsettled,
    took: (now) => {
      refresh(now);
      show(now);
    },
    gone: () => page.go('prompts', {}, { replace: true }),
  });
  usePageContext({
    description: t('The editor of one prompt: its text, the variables it names, and every text that was ever saved.'),
    summary: JSON.stringify({
      prompt: saved === null ? null : { id: saved.id, name: saved.name, type: saved.type, version: saved.version },
      unsaved: form.changed,
      unknown_variables: unknown.map((one) => one.path),
      text,
    }),
    systemPrompt: MINIMAL_EDITS,
    ...pageTools(
      promptFieldsTool(formView),
      ...promptTools({
        view,
        saved,
        changed: form.changed,
        save: async () => {
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
          onClick={save}
        >
          {t('Save')}
        </Button>
      }
    >
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="sm">
            <PromptText value={text} onChange={(next) => form.set('text', next)} onSave={save} />
            {form.errors.text !== undefined && <Failure error={new Error(form.errors.text)} />}
            {sending.error && theirs === null && <Failure error={sending.error} />}
            <FormFields form={{ ...form, fields: fields.filter((field) => field.name !== 'text') }} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="md">
            {type && (
              <PromptPurpose
                prompt={saved?.type === type ? saved : null}
                type={type}
                productId={productId}
                onChanged={setUnsettled}
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
                  <PromptHistory
                    prompt={saved}
                    unsaved={form.changed}
                    onRestored={(now) => {
                      refresh(now);
                      setSaved(now);
                      form.set('text', withLineFeeds(now.text));
                    }}
                  />
                </Tabs.Panel>
              )}
            </Tabs>
          </Stack>
        </Grid.Col>
      </Grid>
      {theirs && (
        <ConflictDialog
          mine={text}
          theirs={theirs}
          onTheirs={() => {
            setSaved(theirs);
            form.set('text', withLineFeeds(theirs.text));
            refresh(theirs);
            setTheirs(null);
          }}
          onMine={() => {
            // The next save says that theirs has been seen.
            setSaved(theirs);
            setTheirs(null);
          }}
        />
      )}
      {guard.question}
    </PageFrame>
  );
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
