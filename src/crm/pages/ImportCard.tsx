/** Whether cards are imported, and which CRM fields hold a contact's addresses. */
import { Autocomplete, Stack, Switch } from '@mantine/core';
import { t } from '../../ui/i18n.ts';
import { Section } from '../../ui/Section.tsx';
import { type Directory, type Faults, fieldLabel, fieldNames, type IntegrationDraft } from './integrationDraft.ts';

interface ImportCardProps {
  draft: IntegrationDraft;
  directory: Directory | undefined;
  faults: Faults;
  onChange: (change: Partial<IntegrationDraft>) => void;
}

export function ImportCard({ draft, directory, faults, onChange }: ImportCardProps) {
  const names = [...new Set(directory?.contact_fields.map(({ name }) => name))];
  return (
    <Section title={t('Import')}>
      <Stack gap="md">
        <Switch
          label={t('Import cards')}
          description={t(
            'Cards in the Initial step of an active pipeline become leads, once each. When off, no leads are imported.',
          )}
          checked={draft.import_enabled}
          onChange={(event) => onChange({ import_enabled: event.currentTarget.checked })}
        />
        {fieldNames.map((name) => (
          <Autocomplete
            key={name}
            label={fieldLabel(name)}
            description={
              name === 'tg_contact_custom_field_name'
                ? t('Name of a contact field, in any case.')
                : t('Name of a contact field, in any case. If the field is empty, the phone number is used.')
            }
            required
            maxLength={300}
            data={names}
            value={draft[name]}
            error={faults[`config.${name}`] ?? null}
            onChange={(value) => onChange({ [name]: value })}
          />
        ))}
      </Stack>
    </Section>
  );
}
