/** One lead's phone: the thread as the lead sees it, and forms to write as the lead or as a person at our own phone. */
import { ActionIcon, Anchor, Button, Group, Menu, Skeleton, Text, Textarea, TextInput } from '@mantine/core';
import { IconExternalLink, IconPaperclip, IconSend2 } from '@tabler/icons-react';
import { type FormEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { Failure } from '../../ui/Failure.tsx';
import { dayOf, formatDay, formatExact, formatTime } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { hrefOf } from '../../ui/page.ts';
import { useCall, useEndpoint } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import {
  type PhoneMessage,
  type Phone as PhoneOf,
  readPhone,
  type WrittenKind,
  writeFromOurPhone,
  writtenKinds,
} from '../contract.ts';
import { SmallText } from './Panel.tsx';
import classes from './sandbox.module.css';
import { useLeadMessages } from './useLeadMessages.ts';
import { vendorName } from './vendorName.ts';

/** The thread is polled twice a second while the page is visible. */
const READ_AGAIN_MS = 500;

export function Phone({ contactId }: { contactId: number }) {
  const params = { contact_id: contactId };
  const phone = useEndpoint(readPhone, { params }, { refetchInterval: READ_AGAIN_MS, staleTime: 0 });
  const { pendingMessages: written, write } = useLeadMessages(contactId);
  if (phone.data === undefined) {
    return phone.isError ? (
      <Failure error={phone.error} onRetry={() => void phone.refetch()} />
    ) : (
      <div className={classes.phone} aria-busy>
        <Skeleton height="100%" />
      </div>
    );
  }
  const { items, phone: owner } = phone.data;
  const arrived = new Set(items.map((item) => item.id));
  const pending = written
    .filter((one) => one.id === null || !arrived.has(one.id))
    .map(({ key: id, text, at }) => ({ id, from: 'lead' as const, kind: 'text', text, at, status: t('sending') }));
  return (
    <>
      <div className={classes.phone}>
        <PhoneHead phone={owner} />
        <PhoneThread items={[...items, ...pending]} />
        <WriteAsLead name={owner.lead_name} onWrite={write} />
      </div>
      <OurPhone contactId={contactId} />
    </>
  );
}

function PhoneHead({ phone }: { phone: PhoneOf }) {
  const messenger = phone.contact_type === 'telegram' ? 'Telegram' : 'WhatsApp';
  const { dialogue_id: dialogueId, lead_name: dialogueName } = phone;
  return (
    <div className={classes.phoneHead}>
      <div className={classes.rowText}>
        <Text fw={600} truncate>
          {phone.lead_name}
        </Text>
        <SmallText truncate>
          {[messenger, phone.vendor && vendorName(phone.vendor), phone.contact].filter(Boolean).join(' · ')}
        </SmallText>
      </div>
      {dialogueId !== null && (
        <Anchor size="sm" href={hrefOf('dialogue-chat', { dialogueId, dialogueName })} target="_blank">
          <Group gap={4} wrap="nowrap">
            {t('In the console')}
            <IconExternalLink size={14} aria-hidden />
          </Group>
        </Anchor>
      )}
    </div>
  );
}

const AT_END_WITHIN = 60;

function PhoneThread({ items }: { items: readonly PhoneMessage[] }) {
  const frame = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element !== null && atEnd.current) element.scrollTop = element.scrollHeight;
  });
  return (
    <div
      ref={frame}
      className={classes.thread}
      role="log"
      aria-label={t('What the lead sees')}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < AT_END_WITHIN;
      }}
    >
      {items.length === 0 && (
        <Text size="sm" c="dimmed" ta="center" p="md">
          {t('This phone has not received anything yet.')}
        </Text>
      )}
      {items.map((item, index) => {
        const previous = items[index - 1];
        const opensDay = previous === undefined || dayOf(previous.at) !== dayOf(item.at);
        return (
          <div key={item.id} className={classes.line}>
            {opensDay && <div className={classes.day}>{formatDay(item.at)}</div>}
            <Bubble {...item} />
          </div>
        );
      })}
    </div>
  );
}

function Bubble({ from, text, kind, at, status }: Omit<PhoneMessage, 'id'>) {
  const mine = from === 'lead';
  return (
    <article
      className={`${classes.bubble} ${mine ? classes.mine : ''}`}
      aria-label={mine ? t('The lead') : t('Us')}
      data-from={from}
    >
      {kind !== 'text' && <SmallText>[{kind}]</SmallText>}
      <div className={classes.text} dir="auto">
        {text}
      </div>
      <div className={classes.foot}>
        {!mine && <span>{status}</span>}
        <time dateTime={at} title={formatExact(at)}>
          {formatTime(at)}
        </time>
      </div>
    </article>
  );
}

const ATTACHMENTS = writtenKinds.filter((kind) => kind !== 'text');

function WriteAsLead({ name, onWrite }: { name: string; onWrite: (text: string, kind: WrittenKind) => void }) {
  const [text, setText] = useState('');
  const input = useRef<HTMLTextAreaElement>(null);
  const send = (kind: WrittenKind) => {
    if (kind === 'text' && text.trim() === '') return;
    setText('');
    onWrite(kind === 'text' ? text : text.trim(), kind);
    input.current?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send('text');
  };
  return (
    <div className={classes.write}>
      <Menu position="top-start">
        <Menu.Target>
          <ActionIcon size="lg" variant="subtle" color="gray" aria-label={t('Send an attachment')}>
            <IconPaperclip size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {ATTACHMENTS.map((kind) => (
            <Menu.Item key={kind} onClick={() => send(kind)}>
              {t(kind)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Textarea
        ref={input}
        className={classes.input}
        aria-label={t('Write as {{name}}', { name })}
        placeholder={t('Write as {{name}}', { name })}
        autosize
        minRows={1}
        maxRows={5}
        maxLength={10_000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <ActionIcon
        size="lg"
        aria-label={t('Send as the lead')}
        disabled={text.trim() === ''}
        onClick={() => send('text')}
      >
        <IconSend2 size={18} />
      </ActionIcon>
    </div>
  );
}

/**
 * Form of a person who writes on our own handset, past Rapport: the message returns as an echo and takes the dialogue
 * over.
 */
function OurPhone({ contactId }: { contactId: number }) {
  const [text, setText] = useState('');
  const write = useCall(writeFromOurPhone);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    const params = { contact_id: contactId };
    write.mutate({ params, body: { text } }, { onSuccess: () => setText(''), onError: toast.failure });
  };
  return (
    <form className={classes.ours} onSubmit={onSubmit}>
      <TextInput
        className={classes.input}
        label={t('Write from our own phone')}
        description={t('Past Rapport: it takes the dialogue over from the bot.')}
        maxLength={10_000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" loading={write.isPending} disabled={text.trim() === ''}>
        {t('Send')}
      </Button>
    </form>
  );
}
