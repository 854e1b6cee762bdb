import { Box, Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { MINIMAL_EDITS_PROMPT } from '../../ui/editTextTool.ts';
import { Failure } from '../../ui/Failure.tsx';
import { FORM_END, FormFields } from '../../ui/FormFields.tsx';
import { useFormViewRef } from '../../ui/fillFormTool.ts';
import type { Field } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { PageLoading } from '../../ui/PageLoading.tsx';
import { type PageParams, parseId, usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { useFreshQuery } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import { useScope } from '../../ui/scope.ts';
import { useViewRef } from '../../ui/undo.ts';
import { useRowEditor } from '../../ui/useRowEditor.ts';
import { type PreparedMessage, preparedMessages } from '../contract.ts';
import { TEMPLATE_VARIABLES } from '../templateContract.ts';
import { PreparedResults } from './PreparedResults.tsx';
import { PREPARED_FIELDS, preparedForm, preparedTools, preparedView } from './preparedTools.ts';
import { preparedTypeOptions } from './promptLabels.tsx';
import { LeadPreviews } from './shared/LeadPreviews.tsx';

/** Pages that link here. Back returns to the one the operator came from. */
const SOURCES: readonly { readonly page: string; readonly params?: PageParams }[] = [
  { page: 'prepared-messages' },
  { page: 'settings-ping' },
  { page: 'settings-product', params: { tab: 'outreach' } },
  { page: 'settings', params: { tab: 'outreach' } },
];

/** Page of one prepared message. Without a `messageId` in the address, it is the form for a new one. */
export default function PreparedDetailPage() {
  const page = usePage();
  const idParam = page.params.messageId ?? '';
  const id = parseId(idParam);
  const found = useFreshQuery(preparedMessages.get, { params: { id: id ?? 0 } }, { enabled: id !== null });
  const source = SOURCES.find((one) => one.page === page.params.source);
  const back = () => page.back(source?.page ?? 'prepared-messages', source?.params);
  if (idParam === '') return <Editing key="new" message={null} onBack={back} />;
  if (found.data) return <Editing key={id} message={found.data} onBack={back} />;
  return (
    <PageLoading
      title={page.params.messageName ?? t('Prepared Message')}
      entity={t('prepared message')}
      description={t('One prepared message.')}
      error={found.error}
      onRetry={() => void found.refetch()}
      onBack={back}
    />
  );
}

function Editing({ message, onBack }: { message: PreparedMessage | null; onBack: () => void }) {
  const page = usePage();
  const { product } = useScope();
  const [fields] = useState(preparedFields);
  const editor = useRowEditor<PreparedMessage>({
    crud: preparedMessages,
    row: message,
    fields,
    preset: { product_id: product?.id, type: 'initial' },
    draftKeyOf: (id) => (id === null ? `prepared_message/new/${product?.id ?? ''}` : `prepared_message/${id}`),
    what: message === null ? t('New prepared message') : t('Prepared message “{{name}}”', { name: message.name }),
    onCreated: ({ id, name }) =>
      page.go('prepared-message-detail', { ...page.params, messageId: id, messageName: name }, { replace: true }),
  });
  const { saved, form } = editor;
  const text = String(form.values['message'] ?? '');
  const formView = preparedForm(saved?.id ?? 0);
  useFormViewRef(formView, form, PREPARED_FIELDS);
  const view = preparedView(saved?.id ?? 0);
  useViewRef(view, {
    value: text,
    set: (next) => form.set('message', next),
    changed: form.changed,
    onSaved: editor.setStored,
    onDeleted: onBack,
  });
  usePageContext({
    description: t('One prepared message: sent as written, with variables filled in for each lead.'),
    summary: JSON.stringify({
      message: saved,
      unsaved: form.changed,
      text: form.values['message'],
      variables: TEMPLATE_VARIABLES,
    }),
    systemPrompt: MINIMAL_EDITS_PROMPT,
    ...preparedTools({ view, form: formView, saved, changed: form.changed, save: editor.saveNow }),
  });
  return (
    <PageFrame title={saved?.name ?? t('New prepared message')} onBack={onBack}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          editor.submit();
        }}
      >
        <Stack gap="md" maw="var(--rapport-form)">
          {editor.notice}
          <FormFields form={form} />
          <Section title={t('Preview')}>
            <LeadPreviews productId={saved?.product_id ?? product?.id ?? 0} text={text} kind="message" />
          </Section>
          {editor.error && <Failure error={editor.error} />}
          <Group justify="flex-end" {...FORM_END}>
            <Button variant="default" onClick={onBack}>
              {t('Cancel')}
            </Button>
            <Button type="submit" disabled={!form.changed} loading={editor.pending}>
              {saved === null ? t('Create') : t('Save')}
            </Button>
          </Group>
        </Stack>
      </form>
      {saved && (
        <Box mt="md" maw="60rem">
          <PreparedResults message={saved} />
        </Box>
      )}
      {editor.guard.question}
    </PageFrame>
  );
}

function preparedFields(): Field[] {
  return [
    { kind: 'hidden', name: 'product_id', label: t('Product') },
    { kind: 'text', name: 'name', label: t('Name'), required: true },
    { kind: 'select', name: 'type', label: t('Type'), options: preparedTypeOptions(), required: true },
    {
      kind: 'textarea',
      name: 'message',
      label: t('Message'),
      required: true,
      description: t('Variables: {{names}}. If one is empty for a lead, the message is not sent.', {
        names: TEMPLATE_VARIABLES.map((one) => `{{ ${one} }}`).join(', '),
      }),
    },
    { kind: 'boolean', name: 'is_follow_up', label: t('Follow-up') },
  ];
}
