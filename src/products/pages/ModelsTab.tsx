import { Badge, Group, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import type { LlmSettings } from '../../llm/settingsContract.ts';
import { t } from '../../ui/i18n.ts';
import { NumberField } from '../../ui/NumberField.tsx';
import { Section } from '../../ui/Section.tsx';
import { DEFAULT_TEMPERATURE, llmVendorNames, llmVendors } from '../contract.ts';
import {
  defaultModels,
  modelName,
  modelOf,
  type Purpose,
  purposes,
  purposeTitles,
  type Settings,
  vendorIn,
  withModel,
} from './settings.ts';

interface ModelsTabProps {
  settings: Settings;
  defaults: ReturnType<typeof defaultModels>;
  models: LlmSettings['models'];
  onChange: (settings: Settings) => void;
}

/** Choose which model the product uses for each purpose. */
export function ModelsTab({ settings, defaults, models, onChange }: ModelsTabProps) {
  const titles = purposeTitles();
  const notes: Readonly<Record<Purpose, string>> = {
    chatbot: t('Answers leads.'),
    classification: t('Detects the stage of a dialogue.'),
    ping: t('Writes follow-ups.'),
    document: t('Writes documents for leads.'),
    judge: t('Compares answers in the studio.'),
  };
  const waiting = t('Loading {{entity}}...', { entity: t('default models') });
  return (
    <Stack gap="md">
      {purposes.map((purpose) => {
        const { model, isDefault, substitute, mayChange } = modelOf(settings, defaults, purpose);
        const listed = model.vendor === null ? [] : (models[model.vendor] ?? []);
        const data = model.model !== null && !listed.includes(model.model) ? [model.model, ...listed] : [...listed];
        // If the defaults could not be loaded, there are none to flag.
        const isFlagged = isDefault && (defaults === null || defaults[`${purpose}_model_config`] !== null);
        const change = (next: Parameters<typeof withModel>[0]['change']) =>
          onChange(withModel({ settings, defaults, purpose, change: next }));
        return (
          <Section
            key={purpose}
            title={titles[purpose]}
            actions={
              <Group gap="xs">
                <Text size="xs" c="dimmed">
                  {notes[purpose]}
                </Text>
                {isFlagged && <Badge color="gray">{t('DEFAULT')}</Badge>}
              </Group>
            }
          >
            <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
              <Select
                label={t('Vendor')}
                placeholder={mayChange ? t('Choose a vendor') : waiting}
                data={llmVendors.map((vendor) => ({ value: vendor, label: llmVendorNames[vendor] }))}
                disabled={!mayChange}
                value={model.vendor}
                allowDeselect={false}
                onChange={(value) => change({ vendor: vendorIn(value) })}
              />
              <Select
                label={t('Model')}
                placeholder={t('Choose a model')}
                searchable
                disabled={!mayChange || model.vendor === null}
                data={data}
                value={model.model}
                allowDeselect={false}
                onChange={(value) => change({ model: value })}
              />
              <NumberField
                label={t('Temperature')}
                min={0}
                max={2}
                step={0.1}
                decimalScale={2}
                disabled={!mayChange}
                value={model.temperature}
                empty={DEFAULT_TEMPERATURE}
                onChange={(temperature) => change({ temperature })}
              />
            </SimpleGrid>
            {substitute && (
              <Text size="sm" mt="xs">
                {t('No model chosen: {{model}} answers', { model: modelName(substitute) })}
              </Text>
            )}
          </Section>
        );
      })}
    </Stack>
  );
}
