import { Alert, Badge, NumberInput, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useMemo } from 'react';
import { ReferenceSelect } from '../../kit/ReferenceSelect.tsx';
import { Section } from '../../kit/Section.tsx';
import { sourceOf } from '../../kit/source.ts';
import { t } from '../../kit/t.ts';
import { documentPrompts, preparedMessages } from '../../prompts/contract.ts';
import { type Messaging, messagingOf, type Settings, withMessaging } from './settings.ts';

interface OutreachTabProps {
  productId: number;
  settings: Settings;
  faults: readonly string[];
  onChange: (settings: Settings) => void;
}

/** First messages: how many, how often, when, and what. */
export function OutreachTab({ productId, settings, faults, onChange }: OutreachTabProps) {
  const { messaging, isDefault } = messagingOf(settings);
  const change = (next: Partial<Messaging>) => onChange(withMessaging(settings, next));
  const sources = useMemo(() => {
    const own = { product_id: [productId] };
    return {
      prepared: sourceOf(
        preparedMessages,
        (one) => one.name,
        { ...own, type: ['initial'] },
        t('Failed to load prepared messages'),
      ),
      documents: sourceOf(documentPrompts, (one) => one.name, own),
    };
  }, [productId]);
  const limit = (key: 'tg_daily_limit' | 'whatsapp_daily_limit', messenger: string) => (
    <NumberInput
      label={t('{{messenger}} daily limit', { messenger })}
      description={
        messaging[key] === 0
          ? t('0: no automated first messages on {{messenger}}.', { messenger })
          : t('First messages on {{messenger}} in a UTC day, at most.', { messenger })
      }
      min={0}
      max={1_000_000}
      allowDecimal={false}
      value={messaging[key]}
      onChange={(value) => typeof value === 'number' && change({ [key]: value })}
    />
  );
  return (
    <Stack gap="md">
      {faults.length > 0 && (
        <Alert color="red" role="alert" icon={<IconAlertCircle />} title={t('Validation Error')}>
          {faults.map((fault) => (
            <div key={fault}>{t(fault)}</div>
          ))}
        </Alert>
      )}
      <Section title={t('First messages')} actions={isDefault && <Badge color="gray">{t('DEFAULT')}</Badge>}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          {limit('tg_daily_limit', 'Telegram')}
          {limit('whatsapp_daily_limit', 'WhatsApp')}
          <NumberInput
            label={t('Seconds between first messages')}
            description={t('So long each waits for the one before.')}
            min={0}
            max={86_400}
            allowDecimal={false}
            value={messaging.add_interval_seconds}
            onChange={(value) => typeof value === 'number' && change({ add_interval_seconds: value })}
          />
          <NumberInput
            label={t('Random seconds on top')}
            description={t('Up to so many seconds more, different each time.')}
            min={0}
            max={86_400}
            allowDecimal={false}
            value={messaging.add_interval_jitter_seconds}
            onChange={(value) => typeof value === 'number' && change({ add_interval_jitter_seconds: value })}
          />
          <TextInput
            label={t('Send at (UTC)')}
            description={t('A lead falls due at this time, 24-hour HH:MM.')}
            value={messaging.initial_message_send_at}
            onChange={(event) => change({ initial_message_send_at: event.currentTarget.value })}
          />
        </SimpleGrid>
      </Section>
      <Section title={t('Initial message')}>
        <Stack gap="sm">
          <ReferenceSelect
            source={sources.documents}
            label={t('Document prompt')}
            description={t('A model writes the message for each lead. Comes before what stands below.')}
            clearable
            value={idText(messaging.initial_message_document_prompt_id)}
            onChange={(id) => change({ initial_message_document_prompt_id: idOf(id) })}
          />
          <ReferenceSelect
            source={sources.prepared}
            label={t('Prepared message')}
            clearable
            value={idText(messaging.initial_message_prepared_message_id)}
            onChange={(id) => change({ initial_message_prepared_message_id: idOf(id) })}
          />
          <Textarea
            label={t('Initial message text')}
            description={t('Sent where no prepared message is chosen.')}
            autosize
            minRows={3}
            maxRows={12}
            value={messaging.initial_message_text ?? ''}
            onChange={(event) => change({ initial_message_text: event.currentTarget.value })}
          />
        </Stack>
      </Section>
    </Stack>
  );
}

const idText = (id: number | null): string => (id === null ? '' : String(id));
const idOf = (text: string): number | null => (text === '' ? null : Number(text));
