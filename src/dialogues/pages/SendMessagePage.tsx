import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { channels } from '../../channels/contract.ts';
import { call } from '../../kit/api.ts';
import { Failure } from '../../kit/Failure.tsx';
import { FORM_END, FormFields } from '../../kit/FormFields.tsx';
import { type Field, valuesOf } from '../../kit/form.ts';
import { useLeaveGuard } from '../../kit/leaveGuard.tsx';
import { Notice } from '../../kit/Notice.tsx';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { usePage } from '../../kit/page.ts';
import { usePageContext } from '../../kit/pageContext.ts';
import { useEndpoint } from '../../kit/query.ts';
import { useScope } from '../../kit/scope.ts';
import { sourceOf } from '../../kit/source.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { useForm } from '../../kit/useForm.ts';
import { useSubmit } from '../../kit/useSubmit.ts';
import { contacts } from '../../leads/contract.ts';
import { documentPrompts, preparedMessages } from '../../prompts/contract.ts';
import { sendNew } from '../chatbotContract.ts';

/** What can be sent: exactly one of these goes to the server. */
const WHATS = ['text', 'prepared_message_id', 'document_prompt_id'] as const;

/** Writes to a contact: a text, a prepared message or a document, now or later. */
export default function SendMessagePage() {
  const page = usePage();
  const { product } = useScope();
  const productId = product?.id ?? 0;
  const given = Number(page.params.contactId ?? '');
  const id = Number.isSafeInteger(given) && given > 0 ? given : null;
  const contact = useEndpoint(contacts.get, { params: { id: id ?? 0 } }, { enabled: id !== null });
  const name = contact.data?.contact ?? page.params.contactName ?? '';
  const back = () =>
    contact.data ? page.back('crm-lead-contacts', { leadId: contact.data.lead_id }) : page.back('contacts');

  const [initial] = useState(() => valuesOf(fieldsOf('text', productId), null, DEFAULTS));
  const [notBefore, setNotBefore] = useState('');
  const [what, setWhat] = useState<string>('text');
  const fields = useMemo(() => fieldsOf(what, productId), [what, productId]);
  const form = useForm(fields, initial);
  const chosen = String(form.values['what'] ?? 'text');
  if (chosen !== what) setWhat(chosen);
  const guard = useLeaveGuard(form.changed);
  const sending = useSubmit(
    form,
    (body) => {
      const { what: _what, delay_enabled, schedule_enabled, ...rest } = body;
      return call(sendNew, {
        query: sendNew.query.parse({ delay_enabled, schedule_enabled }),
        body: sendNew.body.parse({
          ...rest,
          contact_id: id,
          send_not_before: notBefore === '' ? null : new Date(notBefore).toISOString(),
        }),
      });
    },
    ({ dialogue_id: dialogueId, messages }) => {
      guard.release();
      toast.success(
        t('{{count}} messages queued', { count: messages.length, defaultValue_one: '{{count}} message queued' }),
      );
      page.go('dialogue-chat', { dialogueId, dialogueName: name }, { replace: true });
    },
  );
  usePageContext({
    description: t('Writes to one contact: a text, a prepared message or a document, now or later.'),
    summary: JSON.stringify({
      contact: contact.data ?? { id, name },
      form: form.values,
      not_before: notBefore || null,
    }),
    tools: [
      {
        name: 'fill_in_text',
        description: t('Puts a text into the form. It is not sent by that.'),
        parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
    ],
    handlers: {
      fill_in_text: {
        call: async (args) => {
          form.set('what', 'text');
          form.set('text', String(args['text'] ?? ''));
          return { status: 'in the form, not sent' };
        },
      },
    },
  });

  if (id === null)
    return (
      <Notice
        title={t('No contact is chosen')}
        action={<Button onClick={() => page.go('contacts')}>{t('Go to contacts')}</Button>}
      />
    );
  return (
    <PageFrame title={name === '' ? t('Send Message') : t('Send a message to {{name}}', { name })} onBack={back}>
      {contact.error && <Failure error={contact.error} onRetry={() => contact.refetch()} />}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          sending.submit();
        }}
      >
        <Stack gap="md" maw="var(--rapport-form)">
          <FormFields form={form} />
          <TextInput
            type="datetime-local"
            label={t('Not before')}
            description={t('By your clock. Empty: as soon as it may.')}
            value={notBefore}
            onChange={(event) => setNotBefore(event.currentTarget.value)}
          />
          <Alert color="gray" role="note">
            <Text size="sm">{whoStays(chosen)}</Text>
          </Alert>
          {sending.error && <Failure error={sending.error} />}
          <Group justify="flex-end" {...FORM_END}>
            <Button variant="default" onClick={back}>
              {t('Cancel')}
            </Button>
            <Button
              type="submit"
              leftSection={<IconSend size="1rem" />}
              loading={sending.pending}
              disabled={!contact.data}
            >
              {t('Send')}
            </Button>
          </Group>
        </Stack>
      </form>
      {guard.question}
    </PageFrame>
  );
}

const DEFAULTS = { what: 'text', split: true, delay_enabled: true, schedule_enabled: true };

/** Who speaks afterwards. */
function whoStays(what: string): string {
  return what === 'text'
    ? t(
        'In a dialogue that is there already, your text takes it over from the bot. In a new one the bot stays in charge.',
      )
    : t('The bot stays in charge of the dialogue.');
}

function fieldsOf(what: string, productId: number): Field[] {
  const names: Readonly<Record<(typeof WHATS)[number], string>> = {
    text: t('A text'),
    prepared_message_id: t('A prepared message'),
    document_prompt_id: t('A document that the model writes'),
  };
  const ofProduct = { product_id: [productId] };
  const content: Field =
    what === 'prepared_message_id'
      ? {
          kind: 'select',
          name: 'prepared_message_id',
          label: t('Prepared message'),
          source: sourceOf(preparedMessages, (message) => message.name, ofProduct),
          required: true,
        }
      : what === 'document_prompt_id'
        ? {
            kind: 'select',
            name: 'document_prompt_id',
            label: t('Document prompt'),
            source: sourceOf(documentPrompts, (document) => document.name, ofProduct),
            required: true,
          }
        : { kind: 'textarea', name: 'text', label: t('Message'), required: true };
  return [
    {
      kind: 'select',
      name: 'what',
      label: t('What to send'),
      options: WHATS.map((value) => ({ value, label: names[value] })),
      required: true,
    },
    content,
    {
      kind: 'select',
      name: 'channel_id',
      label: t('Channel'),
      source: sourceOf(channels, (channel) => channel.name),
      description: t("Empty: a channel of the contact's messenger that the product is linked to."),
    },
    {
      kind: 'boolean',
      name: 'split',
      label: t('Split'),
      description: t('Each paragraph is a message of its own.'),
    },
    {
      kind: 'boolean',
      name: 'delay_enabled',
      label: t('Delays'),
      description: t('Each message waits as long as a person would type.'),
    },
    {
      kind: 'boolean',
      name: 'schedule_enabled',
      label: t('Working hours'),
      description: t('Outside them it waits for the next opening.'),
    },
  ];
}
