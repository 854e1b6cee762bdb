/** Settings of a product apart from its models and its outreach. */
import { Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { t } from '../../ui/i18n.ts';
import { NumberField } from '../../ui/NumberField.tsx';
import { Section } from '../../ui/Section.tsx';
import { zoneOptions } from '../../ui/timeZones.ts';
import { gates } from '../contract.ts';
import { gateIn, gateLabels, gateSentences, replyHoursIn, type Settings, withExpiry, withGate } from './settings.ts';

interface GeneralTabProps {
  settings: Settings;
  /** The time zone as stored. */
  savedZone: string;
  isNameless: boolean;
  onChange: (settings: Settings) => void;
}

export function GeneralTab({ settings, savedZone, isNameless, onChange }: GeneralTabProps) {
  return (
    <Section title={t('General')}>
      <Stack gap="sm" maw="var(--rapport-form)">
        <TextInput
          label={t('Name')}
          required
          value={settings.name}
          error={isNameless ? t('{{label}} is required', { label: t('Name') }) : null}
          onChange={(event) => onChange({ ...settings, name: event.currentTarget.value })}
        />
        <Switch
          label={t('Active')}
          description={t('When off, the bot sends no messages in this product.')}
          checked={settings.is_active}
          onChange={(event) => onChange({ ...settings, is_active: event.currentTarget.checked })}
        />
        <Select
          label={t('Time zone')}
          description={t('Daily limits, “Send at”, charts and date filters use this time zone.')}
          data={zoneOptions(settings.timezone)}
          searchable
          allowDeselect={false}
          nothingFoundMessage={t('Nothing found')}
          value={settings.timezone}
          onChange={(zone) => zone !== null && onChange({ ...settings, timezone: zone })}
        />
        {settings.timezone !== savedZone && (
          <Text size="sm" c="dimmed">
            {t(
              'Until the days of both time zones are over, the daily limits count them as one day, so that neither is exceeded.',
            )}
          </Text>
        )}
        <Select
          label={t('Bot replies')}
          description={t('First messages and follow-ups always keep the working hours.')}
          data={[
            { value: 'working', label: t('In working hours') },
            { value: 'any', label: t('At any time') },
          ]}
          value={settings.reply_hours}
          allowDeselect={false}
          onChange={(value) => onChange({ ...settings, reply_hours: replyHoursIn(value) })}
        />
        <NumberField
          label={t('Leads expire after, hours')}
          description={t(
            'A lead who is silent for this long moves to stage Ignore. 0: never. A lead does not expire while it is inactive or still in stage Initial, while a person answers in any of its dialogues, or while the product is off.',
          )}
          min={0}
          max={1_000_000}
          allowDecimal={false}
          value={settings.config.lead_expires_in_hours}
          empty={0}
          onChange={(hours) => onChange(withExpiry(settings, hours))}
        />
        <Select
          label={t('Changes of prompts')}
          description={gateSentences[settings.config.gate]}
          data={gates.map((gate) => ({ value: gate, label: gateLabels[gate] }))}
          renderOption={({ option: { value, label } }) => (
            <Stack gap={0}>
              <Text size="sm">{label}</Text>
              <Text size="xs" c="dimmed">
                {gateSentences[gateIn(value)]}
              </Text>
            </Stack>
          )}
          value={settings.config.gate}
          allowDeselect={false}
          onChange={(value) => onChange(withGate(settings, gateIn(value)))}
        />
      </Stack>
    </Section>
  );
}
