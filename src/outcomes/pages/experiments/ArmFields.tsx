/** The arms of a draft: the control first, then one to three variants. */
import {
  ActionIcon,
  Button,
  Group,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { FALLBACK_MODELS, readLlmSettings } from '../../../llm/settingsContract.ts';
import { DEFAULT_TEMPERATURE, llmVendorNames, llmVendors } from '../../../products/contract.ts';
import { prompts, versionsOfPrompt } from '../../../prompts/contract.ts';
import { LeadPreviews } from '../../../prompts/pages/shared/LeadPreviews.tsx';
import { PreparedButtons } from '../../../prompts/pages/shared/PreparedButtons.tsx';
import { call } from '../../../ui/api.ts';
import { formatDate } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { NumberField } from '../../../ui/NumberField.tsx';
import { useEndpoint } from '../../../ui/query.ts';
import { ReferenceSelect } from '../../../ui/ReferenceSelect.tsx';
import { Section } from '../../../ui/Section.tsx';
import { useScope } from '../../../ui/scope.ts';
import { toast } from '../../../ui/toast.ts';
import { sourcesOfKind } from '../../experimentContract.ts';
import { documentSource, preparedSource, promptSource } from './armSources.ts';
import { type CurrentContent, useArmText, useCurrentContent } from './armText.ts';
import { type ArmDraft, mayAddArm, newArm, sourceLabels, variantSource } from './experimentDraft.ts';
import type { ExperimentEditorState } from './useExperimentEditor.ts';

export function ArmsSection({ editor }: { editor: ExperimentEditorState }) {
  const { draft, productId } = editor;
  const current = useCurrentContent(productId, draft.kind);
  const add = () =>
    editor.setDraft((former) => ({
      ...former,
      arms: [...former.arms, newArm(former.arms, variantSource(former.kind))],
    }));
  return (
    <Section
      title={t('Arms')}
      actions={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size="1rem" />}
          disabled={!mayAddArm(draft)}
          onClick={add}
        >
          {t('Add variant')}
        </Button>
      }
    >
      <Stack gap="sm">
        {draft.arms.map((arm, index) => (
          <Arm key={arm.key} editor={editor} arm={arm} index={index} current={current} />
        ))}
      </Stack>
    </Section>
  );
}

interface ArmProps {
  editor: ExperimentEditorState;
  arm: ArmDraft;
  index: number;
  current: CurrentContent;
}

function Arm({ editor, arm, index, current }: ArmProps) {
  const { draft, productId } = editor;
  const isControl = index === 0;
  const fault = (part: string) => editor.faultAt(`arms.${index}.${part}`);
  const change = (next: Partial<ArmDraft>) =>
    editor.setDraft((former) => ({
      ...former,
      arms: former.arms.map((one) => (one.key === arm.key ? { ...one, ...next } : one)),
    }));
  const remove = () =>
    editor.setDraft((former) => ({ ...former, arms: former.arms.filter((one) => one.key !== arm.key) }));
  const sources = sourcesOfKind[draft.kind].filter((source) => isControl || source !== 'current');
  const mayRemove = draft.arms.length > 2;
  const removal = mayRemove ? t('Remove {{name}}', { name: arm.name }) : t('An experiment has at least two arms');
  return (
    <Paper withBorder p="sm" component="section" aria-label={t('Arm {{name}}', { name: arm.name })}>
      <Stack gap="xs">
        <Group justify="space-between" mih="1.75rem">
          <Text size="sm" fw={600}>
            {isControl ? t('Control') : t('Variant {{number}}', { number: index })}
          </Text>
          {!isControl && (
            <Tooltip label={removal}>
              <ActionIcon
                variant="subtle"
                color={mayRemove ? 'red' : 'gray'}
                // Stays focusable, so that the reason can be read with the keyboard.
                data-disabled={!mayRemove}
                aria-disabled={!mayRemove}
                aria-label={removal}
                onClick={() => mayRemove && remove()}
              >
                <IconTrash size="1rem" />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
        <Group gap="sm" align="flex-start">
          <TextInput
            label={t('Name')}
            w="10rem"
            maxLength={60}
            value={arm.name}
            error={fault('name')}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <NumberField
            label={t('Weight')}
            w="6rem"
            min={1}
            max={100}
            allowDecimal={false}
            value={arm.weight}
            empty={1}
            error={fault('weight')}
            onChange={(weight) => change({ weight })}
          />
          {sources.length > 1 && (
            <Select
              label={t('Uses')}
              w={{ base: '100%', xs: '16rem' }}
              allowDeselect={false}
              data={sources.map((value) => ({ value, label: t(sourceLabels[value]) }))}
              value={arm.source}
              onChange={(value) => {
                const source = sources.find((one) => one === value);
                if (source) change({ source });
              }}
            />
          )}
        </Group>
        <Content arm={arm} productId={productId} current={current} fault={fault('content')} onChange={change} />
        <ArmPreview arm={arm} productId={productId} current={current} />
      </Stack>
    </Paper>
  );
}

interface ContentProps {
  arm: ArmDraft;
  productId: number;
  current: CurrentContent;
  fault: string | null;
  onChange: (next: Partial<ArmDraft>) => void;
}

function Content({ arm, productId, current, fault, onChange }: ContentProps) {
  const id = (value: number | null) => (value === null ? '' : String(value));
  const prepared = useMemo(() => preparedSource(productId), [productId]);
  const documents = useMemo(() => documentSource(productId), [productId]);
  switch (arm.source) {
    case 'current':
      return <Text size="sm">{current.label ?? t('Loading…')}</Text>;
    case 'text':
      return (
        <Textarea
          label={t('Text')}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={10_000}
          value={arm.text}
          error={fault}
          onChange={(event) => onChange({ text: event.currentTarget.value })}
        />
      );
    case 'prepared_message':
      return (
        <div>
          <ReferenceSelect
            label={t('Prepared message')}
            placeholder={t('Choose a message')}
            source={prepared}
            value={id(arm.prepared_message_id)}
            error={fault}
            onChange={(value) => onChange({ prepared_message_id: Number(value) || null })}
          />
          <PreparedButtons
            productId={productId}
            type="initial"
            chosen={arm.prepared_message_id}
            onChoose={(chosen) => onChange({ prepared_message_id: chosen })}
          />
        </div>
      );
    case 'document_prompt':
      return (
        <ReferenceSelect
          label={t('Document prompt')}
          description={t('A model writes the first message for each lead.')}
          placeholder={t('Choose a document prompt')}
          source={documents}
          value={id(arm.document_prompt_id)}
          error={fault}
          onChange={(value) => onChange({ document_prompt_id: Number(value) || null })}
        />
      );
    case 'prompt':
      return <PromptFields arm={arm} productId={productId} fault={fault} onChange={onChange} />;
    case 'model':
      return <ModelFields arm={arm} fault={fault} onChange={onChange} />;
    default:
      return arm.source satisfies never;
  }
}

function PromptFields({ arm, productId, fault, onChange }: Omit<ContentProps, 'current'>) {
  const source = useMemo(() => promptSource(productId), [productId]);
  const versions = useEndpoint(
    versionsOfPrompt,
    { query: { prompt_id: arm.prompt_id ?? 0, limit: 100 } },
    { enabled: arm.prompt_id !== null },
  );
  const choose = async (id: number) => {
    try {
      const { version } = await call(prompts.get, { params: { id } });
      onChange({ prompt_id: id, prompt_version: version });
    } catch {
      toast.error(t('Failed to load prompts for product'));
    }
  };
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <ReferenceSelect
        label={t('Prompt')}
        description={t('A new text stays out of use while its prompt is in a group.')}
        placeholder={t('Choose a prompt')}
        source={source}
        value={arm.prompt_id === null ? '' : String(arm.prompt_id)}
        error={fault}
        onChange={(value) => void choose(Number(value))}
      />
      <Select
        label={t('Version')}
        description={t('Every saved version can be chosen.')}
        placeholder={t('Choose a version')}
        searchable
        allowDeselect={false}
        disabled={arm.prompt_id === null}
        data={(versions.data?.items ?? []).map(({ version, author, created_at }) => ({
          value: String(version),
          label: [t('Version {{version}}', { version }), author, formatDate(created_at)].filter(Boolean).join(' · '),
        }))}
        value={arm.prompt_version === null ? null : String(arm.prompt_version)}
        onChange={(value) => onChange({ prompt_version: Number(value) || null })}
      />
    </SimpleGrid>
  );
}

function ModelFields({ arm, fault, onChange }: Pick<ContentProps, 'arm' | 'fault' | 'onChange'>) {
  const { company } = useScope();
  const settings = useEndpoint(
    readLlmSettings,
    { query: { company_id: company?.id ?? 0 } },
    { enabled: company !== null },
  );
  const models = (settings.data?.models ?? FALLBACK_MODELS)[arm.vendor ?? ''] ?? [];
  const data = arm.model !== null && !models.includes(arm.model) ? [arm.model, ...models] : models;
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
      <Select
        label={t('Vendor')}
        placeholder={t('Choose a vendor')}
        allowDeselect={false}
        data={llmVendors.map((vendor) => ({ value: vendor, label: llmVendorNames[vendor] }))}
        value={arm.vendor}
        error={fault}
        onChange={(value) => onChange({ vendor: llmVendors.find((one) => one === value) ?? null, model: null })}
      />
      <Select
        label={t('Model')}
        placeholder={t('Choose a model')}
        searchable
        allowDeselect={false}
        disabled={arm.vendor === null}
        data={[...data]}
        value={arm.model}
        onChange={(model) => onChange({ model })}
      />
      <NumberField
        label={t('Temperature')}
        min={0}
        max={2}
        step={0.1}
        decimalScale={2}
        value={arm.temperature}
        empty={DEFAULT_TEMPERATURE}
        onChange={(temperature) => onChange({ temperature })}
      />
    </SimpleGrid>
  );
}

/** What three leads would get of the arm, on demand. */
function ArmPreview({ arm, productId, current }: Pick<ContentProps, 'arm' | 'productId' | 'current'>) {
  const [isOpen, setOpen] = useState(false);
  const text = useArmText(arm, current);
  if (text === null) return null;
  return (
    <div>
      <Button size="compact-xs" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? t('Hide preview') : t('Preview for three leads')}
      </Button>
      {isOpen && (
        <div style={{ marginTop: 'var(--mantine-spacing-xs)' }}>
          <LeadPreviews productId={productId} text={text.text} kind={text.kind} />
        </div>
      )}
    </div>
  );
}
