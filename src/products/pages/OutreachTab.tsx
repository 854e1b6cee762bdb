import { Badge, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { SendAtWarning } from '../../outreach/pages/shared/SendAtWarning.tsx';
import { clockTime } from '../../platform/contract.ts';
import { zoneTimeName } from '../../platform/zones.ts';
import { documentPrompts, preparedMessages } from '../../prompts/contract.ts';
import { LeadPreviews } from '../../prompts/pages/shared/LeadPreviews.tsx';
import { PreparedButtons } from '../../prompts/pages/shared/PreparedButtons.tsx';
import { browserTimeZone, formatTime, formatZone, instantOfTime, today } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { NumberField } from '../../ui/NumberField.tsx';
import { optionSource } from '../../ui/optionSource.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { useEndpoint } from '../../ui/query.ts';
import { ReferenceSelect } from '../../ui/ReferenceSelect.tsx';
import { Section } from '../../ui/Section.tsx';
import {
  DEFAULT_MESSAGING,
  type Messaging,
  messagingLabels,
  messagingOf,
  type Settings,
  withMessaging,
} from './settings.ts';

interface OutreachTabProps {
  productId: number;
  settings: Settings;
  onChange: (settings: Settings) => void;
}

/** First messages: how many, how often, when, and what. */
export function OutreachTab({ productId, settings, onChange }: OutreachTabProps) {
  const { messaging, isDefault } = messagingOf(settings);
  const change = (next: Partial<Messaging>) => onChange(withMessaging(settings, next));
  const zone = settings.timezone;
  return (
    <Stack gap="md">
      <Section title={t('First messages')} actions={isDefault && <Badge color="gray">{t('DEFAULT')}</Badge>}>
        <Stack gap="sm">
          <Limits messaging={messaging} zone={zone} onChange={change} />
          <SendAtWarning productId={productId} zone={zone} sendAt={messaging.initial_message_send_at} />
        </Stack>
      </Section>
      <Section title={t('Initial message')}>
        <FirstMessage productId={productId} messaging={messaging} onChange={change} />
      </Section>
    </Stack>
  );
}

interface MessagingProps {
  messaging: Messaging;
  onChange: (next: Partial<Messaging>) => void;
}

function Limits({ messaging, zone, onChange }: MessagingProps & { zone: string }) {
  const number = (
    key: 'tg_daily_limit' | 'whatsapp_daily_limit' | 'add_interval_seconds' | 'add_interval_jitter_seconds',
    description: string,
    max: number,
  ) => (
    <NumberField
      label={messagingLabels[key]}
      description={description}
      min={0}
      max={max}
      allowDecimal={false}
      value={messaging[key]}
      empty={DEFAULT_MESSAGING[key]}
      onChange={(value) => onChange({ [key]: value })}
    />
  );
  const limit = (key: 'tg_daily_limit' | 'whatsapp_daily_limit', messenger: string) =>
    number(
      key,
      messaging[key] === 0
        ? t('0: no automated first messages on {{messenger}}.', { messenger })
        : t('Most first messages on {{messenger}} per day ({{zone}}).', { messenger, zone: zoneTimeName(zone) }),
      1_000_000,
    );
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      {limit('tg_daily_limit', 'Telegram')}
      {limit('whatsapp_daily_limit', 'WhatsApp')}
      {number('add_interval_seconds', t('Minimum gap between two first messages.'), 86_400)}
      {number('add_interval_jitter_seconds', t('Adds a random delay up to this.'), 86_400)}
      <TextInput
        label={t('Send at ({{zone}})', { zone: zoneTimeName(zone) })}
        description={sendAtNote(messaging.initial_message_send_at, zone)}
        value={messaging.initial_message_send_at}
        onChange={(event) => onChange({ initial_message_send_at: event.currentTarget.value })}
      />
    </SimpleGrid>
  );
}

function FirstMessage({ productId, messaging, onChange }: MessagingProps & { productId: number }) {
  const { initial_message_document_prompt_id: promptId, initial_message_prepared_message_id: preparedId } = messaging;
  const sources = useMemo(() => {
    const own = { product_id: [productId] };
    return {
      prepared: optionSource({
        resource: preparedMessages,
        labelOf: (one) => one.name,
        query: { ...own, type: ['initial'] },
        failureText: t('Failed to load prepared messages'),
      }),
      documents: optionSource({ resource: documentPrompts, labelOf: (one) => one.name, query: own }),
    };
  }, [productId]);
  const prepared = useEndpoint(
    preparedMessages.get,
    { params: { id: preparedId ?? 0 } },
    { enabled: preparedId !== null },
  );
  // It may be older than the rule, or its type was changed since.
  const isFollowUp = preparedId !== null && prepared.data?.type === 'ping';
  return (
    <Stack gap="sm">
      <ReferenceSelect
        source={sources.documents}
        label={messagingLabels.initial_message_document_prompt_id}
        placeholder={t('None')}
        description={t('A model writes the message for each lead. Overrides the options below.')}
        clearable
        value={String(promptId ?? '')}
        onChange={(id) => onChange({ initial_message_document_prompt_id: idOf(id) })}
      />
      <ReferenceSelect
        source={sources.prepared}
        label={messagingLabels.initial_message_prepared_message_id}
        placeholder={t('None')}
        error={isFollowUp && t('This prepared message is for follow-ups. Choose one for first messages.')}
        clearable
        value={String(preparedId ?? '')}
        onChange={(id) => onChange({ initial_message_prepared_message_id: idOf(id) })}
      />
      <PreparedButtons
        productId={productId}
        type="initial"
        chosen={preparedId}
        onChoose={(id) => onChange({ initial_message_prepared_message_id: id })}
      />
      {preparedId !== null && (
        <Text size="xs">
          <PageLink to="prepared-message-detail" params={{ messageId: preparedId, source: 'settings-product' }}>
            {t('Open the prepared message')}
          </PageLink>
        </Text>
      )}
      <Textarea
        label={messagingLabels.initial_message_text}
        description={t('Sent where no prepared message is chosen.')}
        autosize
        minRows={3}
        maxRows={12}
        value={messaging.initial_message_text ?? ''}
        onChange={(event) => onChange({ initial_message_text: event.currentTarget.value })}
      />
      <FirstPreview productId={productId} messaging={messaging} />
    </Stack>
  );
}

/** Preview the first message as it would be sent. One that a model writes is shown on the page of its prompt. */
function FirstPreview({ productId, messaging }: { productId: number; messaging: Messaging }) {
  const id = messaging.initial_message_prepared_message_id;
  const prepared = useEndpoint(preparedMessages.get, { params: { id: id ?? 0 } }, { enabled: id !== null });
  if (messaging.initial_message_document_prompt_id !== null) return null;
  const text = id === null ? (messaging.initial_message_text ?? '') : (prepared.data?.message ?? '');
  return (
    <Section title={t('Preview')}>
      <LeadPreviews productId={productId} text={text} kind="message" />
    </Section>
  );
}

const idOf = (text: string): number | null => (text === '' ? null : Number(text));

/** Show the time on both clocks: it is the product's, and the operator may have another. */
function sendAtNote(time: string, zone: string): string {
  const note = t('Start sending at this time every day, 24-hour HH:MM. Raised limits count from the next one.');
  if (!clockTime.safeParse(time).success) return note;
  const iso = instantOfTime(today(zone), time, zone);
  if (formatTime(iso, zone) === formatTime(iso)) return note;
  return t('{{note}} Here {{time}} ({{zone}}).', {
    note,
    time: formatTime(iso),
    zone: formatZone(browserTimeZone(), iso),
  });
}
