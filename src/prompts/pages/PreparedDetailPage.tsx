import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../kit/api.ts';
import { useFollow } from '../../kit/edited.ts';
import { Failure } from '../../kit/Failure.tsx';
import { FORM_END, FormFields } from '../../kit/FormFields.tsx';
import { useFormInView } from '../../kit/fillTool.ts';
import { type Field, valuesOf } from '../../kit/form.ts';
import { useLeaveGuard } from '../../kit/leaveGuard.tsx';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { usePage } from '../../kit/page.ts';
import { usePageContext } from '../../kit/pageContext.ts';
import { keyOf, putAnswer, useAnew } from '../../kit/query.ts';
import { Section } from '../../kit/Section.tsx';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { MINIMAL_EDITS } from '../../kit/textTool.ts';
import { toast } from '../../kit/toast.ts';
import { useInView } from '../../kit/undo.ts';
import { useForm } from '../../kit/useForm.ts';
import { sendForm, useSubmit } from '../../kit/useSubmit.ts';
import { type PreparedMessage, preparedMessages } from '../contract.ts';
import { TEMPLATE_VARIABLES } from '../templateContract.ts';
import { LeadPreviews } from './LeadPreviews.tsx';
import { preparedTypeOptions } from './look.tsx';
import { PREPARED_FIELDS, preparedForm, preparedTools, preparedView } from './preparedTools.ts';

/** Pages that lead here and are gone back to. */
const SOURCES = ['prepared-messages', 'settings-product', 'settings-ping', 'settings'];

/** One prepared message; without a `messageId` in the address the form that creates one. */
export default function PreparedDetailPage() {
  const page = usePage();
  const given = page.params.messageId ?? '';
  const id = Number(given);
  const found = useAnew(preparedMessages.get, { params: { id } }, { enabled: given !== '' && id > 0 });
  const source = SOURCES.find((one) => one === page.params.source) ?? 'prepared-messages';
  const back = () => page.back(source);
  if (given === '') return <Editing key="new" message={null} onBack={back} />;
  if (found.data) return <Editing key={id} message={found.data} onBack={back} />;
  return (
    <Waiting name={page.params.messageName ?? ''} error={found.error} again={() => found.refetch()} onBack={back} />
  );
}

interface WaitingProps {
  name: string;
  error: Error | null;
  again: () => void;
  onBack: () => void;
}

function Waiting({ name, error, again, onBack }: WaitingProps) {
  usePageContext({
    description: t('One prepared message.'),
    summary: JSON.stringify({ name, state: error ? 'failed to load' : 'loading' }),
    tools: [],
  });
  return (
    <PageFrame title={name === '' ? t('Prepared Message') : name} onBack={onBack}>
      {error ? <Failure error={error} onRetry={again} /> : <Skeleton height="12rem" />}
    </PageFrame>
  );
}

function Editing({ message, onBack }: { message: PreparedMessage | null; onBack: () => void }) {
  const page = usePage();
  const cache = useQueryClient();
  const { product } = useScope();
  const [saved, setSaved] = useState(message);
  const [fields] = useState(preparedFields);
  const initial = valuesOf(fields, saved, { product_id: product?.id, type: 'initial' });
  const form = useForm(fields, initial);
  const guard = useLeaveGuard(form.changed);
  const store = (body: Record<string, unknown>): Promise<PreparedMessage> =>
    saved === null
      ? call(preparedMessages.create, { body: preparedMessages.create.body.parse(body) })
      : call(preparedMessages.replace, { params: { id: saved.id }, body: preparedMessages.replace.body.parse(body) });
  const took = (now: PreparedMessage) => {
    void cache.invalidateQueries({ queryKey: keyOf(preparedMessages.list) });
    putAnswer(cache, keyOf(preparedMessages.get, { params: { id: now.id } }), now);
    setSaved(now);
  };
  const show = (now: PreparedMessage) => {
    setSaved(now);
    for (const [name, value] of Object.entries(valuesOf(fields, now))) form.set(name, value);
  };
  useFollow(message, { stored: saved, changed: form.changed }, (now) => now && show(now));
  const stored = (now: PreparedMessage) => {
    toast.success(t('Saved {{name}}', { name: now.name }));
    took(now);
    if (saved !== null) return;
    guard.release();
    page.go('prepared-message-detail', { ...page.params, messageId: now.id, messageName: now.name }, { replace: true });
  };
  const sending = useSubmit(form, store, stored);
  const formView = preparedForm(saved?.id ?? 0);
  useFormInView(formView, form, PREPARED_FIELDS);
  const view = preparedView(saved?.id ?? 0);
  useInView(view, {
    value: String(form.values['message'] ?? ''),
    put: (next) => form.set('message', next),
    changed: form.changed,
    took: (now) => {
      took(now);
      show(now);
    },
    gone: onBack,
  });
  usePageContext({
    description: t('One prepared message: it goes out as it is written, filled in for each lead.'),
    summary: JSON.stringify({
      message: saved,
      unsaved: form.changed,
      text: form.values['message'],
      variables: TEMPLATE_VARIABLES,
    }),
    systemPrompt: MINIMAL_EDITS,
    ...preparedTools({
      view,
      form: formView,
      saved,
      changed: form.changed,
      save: async () => {
        const now = await sendForm(form, store);
        stored(now);
        return now;
      },
    }),
  });
  return (
    <PageFrame title={saved?.name ?? t('New prepared message')} onBack={onBack}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          sending.submit();
        }}
      >
        <Stack gap="md" maw="var(--rapport-form)">
          <FormFields form={form} />
          <Section title={t('Preview')}>
            <LeadPreviews
              productId={saved?.product_id ?? product?.id ?? 0}
              text={String(form.values['message'] ?? '')}
              kind="message"
            />
          </Section>
          {sending.error && <Failure error={sending.error} />}
          <Group justify="flex-end" {...FORM_END}>
            <Button variant="default" onClick={onBack}>
              {t('Cancel')}
            </Button>
            <Button type="submit" disabled={!form.changed} loading={sending.pending}>
              {saved === null ? t('Create') : t('Save')}
            </Button>
          </Group>
        </Stack>
      </form>
      {guard.question}
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
      description: t('Variables: {{names}}. One that is empty for a lead keeps the message from being sent.', {
        names: TEMPLATE_VARIABLES.map((one) => `{{ ${one} }}`).join(', '),
      }),
    },
    { kind: 'boolean', name: 'is_follow_up', label: t('Follow-up') },
  ];
}
