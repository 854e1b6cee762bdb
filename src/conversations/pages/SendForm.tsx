import { Button, Group, Input, SegmentedControl, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { IconRobot, IconSend, IconUser } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { sendNew } from '../../inbox/chatbotContract.ts';
import type { Contact, Lead } from '../../leads/contract.ts';
import { botStopReason, StageBadge } from '../../leads/pages/stage.tsx';
import { call } from '../../ui/api.ts';
import { now } from '../../ui/clock.ts';
import { Failure } from '../../ui/Failure.tsx';
import { FORM_END, FormFields } from '../../ui/FormFields.tsx';
import { valuesOf } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { pageTools } from '../../ui/pageTool.ts';
import { toast } from '../../ui/toast.ts';
import { useViewRef } from '../../ui/undo.ts';
import { usePersistedForm } from '../../ui/usePersistedForm.tsx';
import { useSubmit } from '../../ui/useSubmit.ts';
import type { AcceptedMessages } from '../contract.ts';
import { Preview } from './SendPreview.tsx';
import { CONTENTS, type Content, ownerAfterSending, SEND_DEFAULTS, sendFields, type Target } from './sending.ts';
import { sendDraftView, sendTools } from './sendTools.ts';

/** Loaded lazily: the calendar is large and rarely needed. */
const DateTimeField = lazy(async () => ({ default: (await import('./chat/DateTimeField.tsx')).DateTimeField }));

interface SendFormProps {
  contact: Contact;
  lead: Lead;
  /** At least one. */
  targets: readonly Target[];
  leadZone: string;
  onCancel: () => void;
}

const HOUR_MS = 3_600_000;
const CONTENT_LABELS: Readonly<Record<Content, string>> = {
  text: 'Text',
  prepared_message_id: 'Prepared message',
  document_prompt_id: 'Document',
};

/** Form that sends a contact a text, a prepared message or a document, now or later. */
export function SendForm({ contact, lead, targets, leadZone, onCancel }: SendFormProps) {
  const page = usePage();
  const [content, setContent] = useState<Content>('text');
  const [notBefore, setNotBefore] = useState<number | null>(null);
  const fields = useMemo(
    () => sendFields(content, contact.product_id, targets),
    [content, contact.product_id, targets],
  );
  const [initial] = useState(() => valuesOf(fields, null, { ...SEND_DEFAULTS, channel_id: targets[0]?.channelId }));
  const { form, guard, notice } = usePersistedForm({
    draftKey: `send/${contact.id}`,
    what: t('Message to {{name}}', { name: lead.name }),
    fields,
    initial,
    alsoUnsaved: notBefore !== null,
  });
  const key = useRef<{ fingerprint: string; key: string } | null>(null);
  const isPast = notBefore !== null && notBefore <= now();
  const toRequest = ({ delay_enabled, schedule_enabled, channel_id, ...rest }: Record<string, unknown>) => {
    const when = notBefore === null ? null : new Date(notBefore).toISOString();
    const body = { ...rest, contact_id: contact.id, channel_id: Number(channel_id), send_not_before: when };
    return { query: sendNew.query.parse({ delay_enabled, schedule_enabled }), body };
  };
  const send = (values: Record<string, unknown>) => {
    const { query, body } = toRequest(values);
    // The response may be lost: sending the same message again reuses the key, so it goes out once.
    const fingerprint = JSON.stringify([body, query]);
    if (key.current?.fingerprint !== fingerprint) key.current = { fingerprint, key: crypto.randomUUID() };
    return call(sendNew, { query, body: sendNew.body.parse({ ...body, client_key: key.current.key }) });
  };
  const onSent = ({ dialogue_id: dialogueId, messages }: AcceptedMessages) => {
    guard.release();
    toast.success(
      t('{{count}} messages are on their way', {
        count: messages.length,
        defaultValue_one: 'The message is on its way',
      }),
    );
    page.go('dialogue-chat', { dialogueId, dialogueName: lead.name }, { replace: true });
  };
  const sending = useSubmit(form, send, onSent);
  const target = targets.find(({ channelId }) => String(channelId) === String(form.values.channel_id)) ?? null;
  const view = sendDraftView(contact.id);
  const { text, schedule_enabled, delay_enabled, split } = form.values;
  useViewRef(view, {
    value: { content, values: { text, schedule_enabled, delay_enabled, split } },
    set: (next) => {
      setContent(next.content);
      for (const [name, value] of Object.entries(next.values)) form.set(name, value);
    },
  });
  usePageContext({
    description: t(
      'Writes to one contact: a text, a prepared message or a document that a model writes, now or later.',
    ),
    summary: JSON.stringify({
      contact: contact.contact,
      lead: { id: lead.id, name: lead.name, stage: lead.stage, is_active: lead.is_active },
      channels: targets,
      content,
      form: form.values,
      send_not_before: notBefore === null ? null : new Date(notBefore).toISOString(),
    }),
    ...pageTools(
      ...sendTools(view, async (values) => {
        if (isPast) throw new Error(t('This moment has passed.'));
        const { query, body } = toRequest({ ...values, channel_id: form.values['channel_id'] });
        const requestBody = sendNew.body.parse({ ...body, client_key: crypto.randomUUID() });
        const answer = await call(sendNew, { query, body: requestBody });
        onSent(answer);
        return answer;
      }),
    ),
  });

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPast) sending.submit();
      }}
    >
      <Stack gap="md" maw="var(--rapport-form)">
        {notice}
        <Group gap="xs">
          <Text size="sm">
            <PageLink to="lead-detail" params={{ leadId: lead.id }}>
              {lead.name}
            </PageLink>
          </Text>
          <StageBadge stage={lead.stage} />
        </Group>
        <Input.Wrapper label={t('What to send')} labelElement="div">
          <SegmentedControl
            fullWidth
            aria-label={t('What to send')}
            value={content}
            onChange={(value) => setContent(CONTENTS.find((one) => one === value) ?? 'text')}
            data={CONTENTS.map((value) => ({ value, label: t(CONTENT_LABELS[value]) }))}
          />
        </Input.Wrapper>
        {/* Another content type is another field, so a new key moves the focus into it. */}
        <FormFields key={content} form={{ ...form, fields: form.fields.slice(0, 1) }} />
        <Preview content={content} id={Number(form.values[content] ?? 0)} />
        <FormFields form={{ ...form, fields: form.fields.slice(1), generalErrors: [] }} />
        <Switch
          label={t('Not before a moment')}
          description={t('It waits at least until then.')}
          checked={notBefore !== null}
          onChange={(event) => setNotBefore(event.currentTarget.checked ? now() + HOUR_MS : null)}
        />
        {notBefore !== null && (
          <Suspense fallback={<Skeleton height="8rem" />}>
            <DateTimeField label={t('Not before')} at={notBefore} leadZone={leadZone} onChange={setNotBefore} />
          </Suspense>
        )}
        <OwnerAfterSending content={content} target={target} lead={lead} />
        {sending.error && <Failure error={sending.error} />}
        <Group justify="flex-end" {...FORM_END}>
          <Button variant="default" onClick={onCancel}>
            {t('Cancel')}
          </Button>
          <Button type="submit" leftSection={<IconSend size="1rem" />} loading={sending.pending} disabled={isPast}>
            {notBefore === null ? t('Send') : t('Schedule')}
          </Button>
        </Group>
      </Stack>
      {guard.question}
    </form>
  );
}

/** Shows who owns the dialogue after sending, and whether the bot would answer at all. */
function OwnerAfterSending({ content, target, lead }: { content: Content; target: Target | null; lead: Lead }) {
  const silenceReason = botStopReason(lead);
  const dialogue = target?.dialogue ?? null;
  const isHuman = dialogue !== null && (dialogue.owner === 'human' || content === 'text');
  const Glyph = isHuman ? IconUser : IconRobot;
  return (
    <Stack gap={4} role="note">
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Glyph size={18} aria-hidden style={{ flex: 'none' }} />
        <Text size="sm">{ownerAfterSending(content, dialogue)}</Text>
      </Group>
      {silenceReason !== null && (
        <Text size="sm" c="dimmed">
          {t('The bot stays silent: {{reason}}. What you send goes out all the same.', { reason: silenceReason })}
        </Text>
      )}
    </Stack>
  );
}
