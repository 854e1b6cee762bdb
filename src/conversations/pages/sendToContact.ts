/** Sends what the send form holds, once, however often it is tried. */
import { useRef, useState } from 'react';
import type { Contact, Lead } from '../../leads/contract.ts';
import { sendNew } from '../../outbox/sendContract.ts';
import { call } from '../../ui/api.ts';
import { now } from '../../ui/clock.ts';
import { t } from '../../ui/i18n.ts';
import { usePage } from '../../ui/page.ts';
import { toast } from '../../ui/toast.ts';
import type { FormState } from '../../ui/useForm.ts';
import { useSubmit } from '../../ui/useSubmit.ts';
import { type AcceptedMessages, messages } from '../contract.ts';
import { questionOf } from './chat/send.ts';
import { findTarget, type Target } from './sending.ts';
import type { ToSend } from './sendTools.ts';

/** What is sent with the fields of the form. */
interface SendOptions {
  readonly contact: Pick<Contact, 'id' | 'product_id'>;
  readonly targets: readonly Target[];
  /** Milliseconds; null: at once. */
  readonly notBefore: number | null;
  /** The bot keeps the dialogue that a text is sent in. */
  readonly keepBot: boolean;
  /** The run of the suggested reply that the text began as. */
  readonly draftRunId: number | null;
  /** The newest message when the form was opened: refused if a colleague has answered since. Null: sent anyway. */
  readonly seenMessageId: number | null;
  /** The operator has confirmed to write to a person who asked for no more messages, or may have. */
  readonly confirmOptedOut: boolean;
}

interface SendingOptions extends Pick<SendOptions, 'contact' | 'targets' | 'notBefore' | 'draftRunId'> {
  onSent: (answer: AcceptedMessages) => void;
}

type Choice = Pick<SendOptions, 'keepBot' | 'seenMessageId' | 'confirmOptedOut'>;

/** Sends the form, by its buttons or for the assistant. Asks first if a colleague has answered since it was opened. */
export function useSending(form: FormState, { onSent, ...what }: SendingOptions) {
  const { targets, notBefore } = what;
  const [whenOpened] = useState(targets);
  const channel_id = form.values['channel_id'];
  const seenMessageId = findTarget(whenOpened, channel_id)?.newestMessageId || null;
  const isPast = notBefore !== null && notBefore <= now();
  const choice = useRef<Choice>({ keepBot: false, seenMessageId, confirmOptedOut: false });
  const send = useSend();
  const sending = useSubmit(form, (values) => send({ ...what, ...choice.current }, values), onSent);
  const submit = (chosen: Choice) => {
    choice.current = chosen;
    if (!isPast) sending.submit();
  };
  return {
    sending,
    isPast,
    submit: (keepBot: boolean) => submit({ keepBot, seenMessageId, confirmOptedOut: false }),
    sendAnyway: () =>
      submit({
        ...choice.current,
        ...(questionOf(sending.error) === 'opted_out' ? { confirmOptedOut: true } : { seenMessageId: null }),
      }),
    sendForAssistant: async ({ keep_bot: keepBot, ...values }: ToSend) => {
      if (isPast) throw new Error(t('This time has passed.'));
      const answer = await sendOnce(
        { ...what, keepBot, seenMessageId, draftRunId: null, confirmOptedOut: false },
        { ...values, channel_id },
      );
      onSent(answer);
      return answer;
    },
  };
}

type Values = Record<string, unknown>;

/** Return what sends the form. Sending the same again reuses the key: the response may be lost, and it goes out once. */
function useSend(): (options: SendOptions, values: Values) => Promise<AcceptedMessages> {
  const last = useRef<{ fingerprint: string; key: string } | null>(null);
  return (options, values) => {
    const { contact, targets: _targets, ...rest } = options;
    const fingerprint = JSON.stringify([contact.id, rest, values]);
    if (last.current?.fingerprint !== fingerprint) last.current = { fingerprint, key: crypto.randomUUID() };
    return sendOnce(options, values, last.current.key);
  };
}

/** Send a text as the composer of its dialogue does, and anything else, or to a new dialogue, to the contact. */
function sendOnce(
  { contact, targets, notBefore, keepBot, draftRunId, seenMessageId, confirmOptedOut }: SendOptions,
  { delay_enabled, schedule_enabled, channel_id, text, split, ...source }: Values,
  client_key: string = crypto.randomUUID(),
): Promise<AcceptedMessages> {
  const dialogue = findTarget(targets, channel_id)?.dialogue ?? null;
  const send_not_before = isoOrNull(notBefore);
  if (text !== undefined && dialogue !== null)
    return call(messages.create, {
      body: messages.create.body.parse({
        product_id: contact.product_id,
        contact_id: contact.id,
        dialogue_id: dialogue.id,
        message: text,
        split,
        delay_enabled,
        schedule_enabled,
        send_not_before,
        client_key,
        keep_bot: keepBot,
        draft_run_id: draftRunId,
        seen_message_id: seenMessageId,
        confirm_opted_out: confirmOptedOut,
      }),
    });
  return call(sendNew, {
    query: sendNew.query.parse({ delay_enabled, schedule_enabled }),
    body: sendNew.body.parse({
      ...source,
      text,
      split,
      contact_id: contact.id,
      channel_id: Number(channel_id),
      send_not_before,
      client_key,
      confirm_opted_out: confirmOptedOut,
    }),
  });
}

export const isoOrNull = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/** Return what runs once messages are accepted: release the form, say so, and open the dialogue. */
export function useOnSent(lead: Lead, release: () => void) {
  const page = usePage();
  return ({ dialogue_id: dialogueId, messages: accepted }: AcceptedMessages) => {
    release();
    toast.success(
      t('{{count}} messages are on their way', {
        count: accepted.length,
        defaultValue_one: 'The message is on its way',
      }),
    );
    page.go('dialogue-chat', { dialogueId, dialogueName: lead.name }, { replace: true });
  };
}
