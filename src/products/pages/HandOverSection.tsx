/** Settings of a product for dialogues that need a person. */
import { Stack, Switch, Textarea } from '@mantine/core';
import { t } from '../../ui/i18n.ts';
import { NumberField } from '../../ui/NumberField.tsx';
import { Section } from '../../ui/Section.tsx';
import { product } from '../contract.ts';
import { handOverLabels, type Settings } from './settings.ts';

const { maxLength: MAX_TEXT } = product.shape.hand_over_text;

interface HandOverSectionProps {
  settings: Settings;
  onChange: (settings: Settings) => void;
}

export function HandOverSection({ settings, onChange }: HandOverSectionProps) {
  const change = (values: Partial<Settings>) => onChange({ ...settings, ...values });
  return (
    <Section title={t('Hand-over to a person')}>
      <Stack gap="sm" maw="var(--rapport-form)">
        <Switch
          label={handOverLabels.hand_over}
          description={t(
            'The bot hands the dialogue over when the lead asks for a person, agrees to buy, threatens or complains, or asks what the prompt does not answer. When off, the bot always answers.',
          )}
          checked={settings.hand_over}
          onChange={(event) => change({ hand_over: event.currentTarget.checked })}
        />
        {settings.hand_over && (
          <Textarea
            label={handOverLabels.hand_over_text}
            description={t('One sentence, sent word for word when the bot may reply. Leave it empty to send nothing.')}
            placeholder={t('One moment please, a colleague will answer you here.')}
            autosize
            minRows={1}
            maxRows={4}
            maxLength={MAX_TEXT ?? 1000}
            value={settings.hand_over_text}
            onChange={(event) => change({ hand_over_text: event.currentTarget.value })}
          />
        )}
        <NumberField
          label={handOverLabels.target_minutes}
          description={t('The inbox shows a wait in amber from half of this time, and in red when it is over.')}
          min={1}
          max={10_080}
          allowDecimal={false}
          value={settings.target_minutes}
          empty={15}
          onChange={(target_minutes) => change({ target_minutes })}
        />
        <NumberField
          label={handOverLabels.return_to_bot_hours}
          description={t('The bot answers again when no person has written for this long. 0: never.')}
          min={0}
          max={8760}
          allowDecimal={false}
          value={settings.return_to_bot_hours ?? 0}
          empty={0}
          onChange={(hours) => change({ return_to_bot_hours: hours === 0 ? null : hours })}
        />
        <Switch
          label={handOverLabels.round_robin}
          description={t(
            'Each dialogue that is handed over is assigned to the next operator of the company. When off, it stays unassigned.',
          )}
          checked={settings.round_robin}
          onChange={(event) => change({ round_robin: event.currentTarget.checked })}
        />
        <Switch
          label={handOverLabels.bot_reads_notes}
          description={t(
            'Models that write to a lead get the newest notes about the dialogue. When off, no model reads them.',
          )}
          checked={settings.bot_reads_notes}
          onChange={(event) => change({ bot_reads_notes: event.currentTarget.checked })}
        />
      </Stack>
    </Section>
  );
}
