import { Button, Group, Input, SegmentedControl, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { IconRobot, IconSend, IconUser } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { Contact, Lead } from '../../leads/contract.ts';
import { PersonOptOutNotice } from '../../leads/pages/shared/personOptOut.tsx';
import { botStopReason, StageBadge } from '../../leads/pages/shared/stage.tsx';
import { now } from '../../ui/clock.ts';
import { Failure } from '../../ui/Failure.tsx';
import { FORM_END, FormFields } from '../../ui/FormFields.tsx';
import { valuesOf } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { usePageContext } from '../../ui/pageContext.ts';
import { pageTools } from '../../ui/pageTool.ts';
import { useViewRef } from '../../ui/undo.ts';
import type { FormState } from '../../ui/useForm.ts';
import { usePersistedForm } from '../../ui/usePersistedForm.tsx';
import type { AcceptedMessages } from '../contract.ts';
import { MoreWaysToSend } from './chat/MoreWaysToSend.tsx';
import { questionOf } from './chat/send.ts';
import { Preview } from './SendPreview.tsx';
import {
  CONTENTS,
  type Content,
  findTarget,
  ownerAfterSending,
  SEND_DEFAULTS,
  sendFields,
  type Target,
} from './sending.ts';
import { isoOrNull, useOnSent, useSending } from './sendToContact.ts';
import { sendDraftView, sendTools, type ToSend } from './sendTools.ts';
import { type TextDraft, TextToSend, useText } from './TextToSend.tsx';

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
  const target = findTarget(targets, form.values['channel_id']);
  const draft = useText(form, { contactId: contact.id, dialogueId: target?.dialogue?.id ?? null });
  const onSent = useOnSent(lead, () => {
    guard.release();
    draft.setRunId(null);
  });
  const { sending, isPast, submit, sendAnyway, sendForAssistant } = useSending(form, {
    contact,
    targets,
    notBefore,
    draftRunId: draft.runId,
    onSent,
  });
  useSendContext({ contact, lead, targets, content, setContent, form, draft, notBefore, send: sendForAssistant });

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit(false);
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
        <PersonOptOutNotice lead={lead} />
        <ContentChoice content={content} onChange={setContent} />
        {/* Another content type is another field, so a new key moves the focus into it. */}
        {content === 'text' ? (
          <TextToSend form={form} draft={draft} recipient={{ productId: contact.product_id, leadId: lead.id }} />
        ) : (
          <FormFields key={content} form={{ ...form, fields: form.fields.slice(0, 1), generalErrors: [] }} />
        )}
        <Preview content={content} id={Number(form.values[content] ?? 0)} leadId={lead.id} />
        <FormFields form={{ ...form, fields: form.fields.slice(1) }} takesFocus={false} />
        <NotBefore at={notBefore} leadZone={leadZone} onChange={setNotBefore} />
        <OwnerAfterSending content={content} target={target} lead={lead} />
        {sending.error && <Failure error={sending.error} />}
        {questionOf(sending.error) !== null && (
          <Button variant="default" onClick={sendAnyway}>
            {t('Send anyway')}
          </Button>
        )}
        <SendActions
          isLater={notBefore !== null}
          isBots={content === 'text' && target?.dialogue?.owner === 'bot'}
          isPending={sending.pending}
          isPast={isPast}
          onSendAndKeepBot={() => submit(true)}
          onCancel={onCancel}
        />
      </Stack>
      {guard.question}
    </form>
  );
}

interface SendActionsProps {
  isLater: boolean;
  /** Whether the bot owns the dialogue that a text is sent in. */
  isBots: boolean;
  isPending: boolean;
  isPast: boolean;
  onSendAndKeepBot: () => void;
  onCancel: () => void;
}

function SendActions({ isLater, isBots, isPending, isPast, onSendAndKeepBot, onCancel }: SendActionsProps) {
  const keepBot = isLater ? t('Schedule and keep the bot') : t('Send and keep the bot');
  return (
    <Group justify="flex-end" {...FORM_END}>
      <Button variant="default" onClick={onCancel}>
        {t('Cancel')}
      </Button>
      <MoreWaysToSend
        disabled={isPast || isPending}
        ways={isBots ? [{ label: keepBot, onClick: onSendAndKeepBot }] : []}
      />
      <Button type="submit" leftSection={<IconSend size="1rem" />} loading={isPending} disabled={isPast}>
        {isLater ? t('Schedule') : t('Send')}
      </Button>
    </Group>
  );
}

interface SendContext extends Pick<SendFormProps, 'contact' | 'lead' | 'targets'> {
  content: Content;
  setContent: (content: Content) => void;
  form: FormState;
  draft: TextDraft;
  notBefore: number | null;
  send: (values: ToSend) => Promise<AcceptedMessages>;
}

/** Shows the form to the assistant, which may fill it in and send it. */
function useSendContext({ contact, lead, targets, content, setContent, form, draft, notBefore, send }: SendContext) {
  const view = sendDraftView(contact.id);
  const { text, schedule_enabled, delay_enabled, split } = form.values;
  useViewRef(view, {
    value: { content, values: { text, schedule_enabled, delay_enabled, split }, runId: draft.runId },
    set: (next) => {
      setContent(next.content);
      draft.setRunId(next.runId);
      for (const [name, value] of Object.entries(next.values)) form.set(name, value);
    },
  });
  usePageContext({
    description: t('Sends a contact a text, a prepared message or a document written by a model, now or later.'),
    summary: JSON.stringify({
      contact: contact.contact,
      lead: { id: lead.id, name: lead.name, stage: lead.stage, is_active: lead.is_active },
      channels: targets,
      content,
      form: form.values,
      send_not_before: isoOrNull(notBefore),
    }),
    ...pageTools(...sendTools(view, { dialogueId: draft.dialogueId, send })),
  });
}

function ContentChoice({ content, onChange }: { content: Content; onChange: (content: Content) => void }) {
  return (
    <Input.Wrapper label={t('What to send')} labelElement="div">
      <SegmentedControl
        fullWidth
        aria-label={t('What to send')}
        value={content}
        onChange={onChange}
        data={CONTENTS.map((value) => ({ value, label: t(CONTENT_LABELS[value]) }))}
      />
    </Input.Wrapper>
  );
}

interface NotBeforeProps {
  at: number | null;
  leadZone: string;
  onChange: (at: number | null) => void;
}

function NotBefore({ at, leadZone, onChange }: NotBeforeProps) {
  return (
    <>
      <Switch
        label={t('Send later')}
        description={t('Waits at least until the time you choose.')}
        checked={at !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? now() + HOUR_MS : null)}
      />
      {at !== null && (
        <Suspense fallback={<Skeleton height="8rem" />}>
          <DateTimeField label={t('Not before')} at={at} leadZone={leadZone} onChange={onChange} />
        </Suspense>
      )}
    </>
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
          {t('The bot is off: {{reason}}. Your message is still sent.', { reason: silenceReason })}
        </Text>
      )}
    </Stack>
  );
}
