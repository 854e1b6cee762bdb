/** Asks what a run tries, shows what it will cost, and starts it. */
import { Anchor, Button, Group, Loader, Modal, SegmentedControl, Select, Stack, Switch, Text } from '@mantine/core';
import { useMemo } from 'react';
import { FALLBACK_MODELS, readLlmSettings } from '../../../llm/settingsContract.ts';
import { llmVendorNames, llmVendors } from '../../../products/contract.ts';
import { prompts } from '../../../prompts/contract.ts';
import { ApiError } from '../../../ui/api.ts';
import { BoundedNumberInput } from '../../../ui/BoundedNumberInput.tsx';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { NumberField } from '../../../ui/NumberField.tsx';
import { optionSource } from '../../../ui/optionSource.ts';
import { isPlainClick } from '../../../ui/PageLink.tsx';
import { hrefOf, usePage } from '../../../ui/page.ts';
import { useEndpoint, useLogError } from '../../../ui/query.ts';
import { ReferenceSelect } from '../../../ui/ReferenceSelect.tsx';
import { ReferencesSelect } from '../../../ui/ReferencesSelect.tsx';
import { useScope } from '../../../ui/scope.ts';
import { studioCases } from '../../caseContract.ts';
import { personas } from '../../personaContract.ts';
import type { StudioRun } from '../../runContract.ts';
import { kindLabel } from '../labels.ts';
import { promptSource } from '../shared/promptSource.ts';
import { estimateText, kindExplanation } from './runTexts.ts';
import { kindsOf, type RunForm, type RunPreset, useRunForm } from './useRunForm.ts';

interface StartRunDialogProps {
  productId: number;
  preset: RunPreset;
  onStarted: (run: StudioRun) => void;
  onClose: () => void;
}

export function StartRunDialog({ productId, preset, onStarted, onClose }: StartRunDialogProps) {
  const form = useRunForm({ productId, preset }, onStarted);
  const { fields, edit, estimate, starting, error } = form;
  const { promptId } = fields;
  const prompt = useEndpoint(prompts.get, { params: { id: promptId ?? 0 } }, { enabled: promptId !== null }).data;
  const source = useMemo(() => promptSource(productId), [productId]);
  const kinds = kindsOf(prompt?.type);
  // The kind that was chosen may not suit a prompt that is chosen later.
  const kind = kinds.includes(fields.kind) ? fields.kind : 'gate';
  if (kind !== fields.kind && prompt) edit({ kind });
  return (
    <Modal opened onClose={onClose} size="lg" title={t('Start a run')} closeButtonProps={{ 'aria-label': t('Close') }}>
      <Stack gap="md">
        <ReferenceSelect
          source={source}
          value={String(promptId ?? '')}
          onChange={(id) => edit({ promptId: id === '' ? null : Number(id), caseIds: [] })}
          label={t('Prompt')}
          description={candidateText(preset, prompt?.version)}
          placeholder={t('Choose a prompt')}
          required
        />
        <div>
          <SegmentedControl
            fullWidth
            aria-label={t('Try it on')}
            data={kinds.map((value) => ({ value, label: kindLabel(value) }))}
            value={kind}
            onChange={(value) => edit({ kind: kinds.find((one) => one === value) ?? kind })}
          />
          <Text size="sm" c="dimmed" mt="xs">
            {kindExplanation(kind)}
          </Text>
        </div>
        <Subjects form={form} productId={productId} />
        <ModelSelect form={form} />
        <BudgetField form={form} />
        {estimate.error && <EstimateProblem error={estimate.error} promptId={promptId} onLeave={onClose} />}
        {error && <Failure error={error} />}
        <Group justify="flex-end">
          <Button variant="default" disabled={starting} onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button loading={starting} disabled={!form.isEstimated} onClick={form.start}>
            {t('Start')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Why there is no estimate. That there is nothing yet to try the prompt on is no error, but the next step. */
function EstimateProblem({ error, promptId, onLeave }: { error: Error; promptId: number | null; onLeave: () => void }) {
  const { go } = usePage();
  const missing = error instanceof ApiError ? missingSubjects(error.code) : null;
  if (missing === null) return <Failure error={error} />;
  const { sentence, link } = missing;
  const params = link?.page === 'studio-cases' ? { promptId } : {};
  return (
    <Text size="sm" c="dimmed" role="status">
      {sentence}
      {link !== null && ' '}
      {link !== null && (
        <Anchor
          href={hrefOf(link.page, params)}
          inherit
          underline="always"
          onClick={(event) => {
            if (!isPlainClick(event)) return;
            event.preventDefault();
            onLeave();
            go(link.page, params);
          }}
        >
          {link.label}
        </Anchor>
      )}
    </Text>
  );
}

interface MissingSubjects {
  readonly sentence: string;
  readonly link: { readonly page: string; readonly label: string } | null;
}

function missingSubjects(code: string | null): MissingSubjects | null {
  switch (code) {
    case 'studio.no_cases':
      return {
        sentence: t('This prompt has no test cases to run yet.'),
        link: { page: 'studio-cases', label: t('Add test cases') },
      };
    case 'studio.no_personas':
      return {
        sentence: t('This product has no simulated leads yet.'),
        link: { page: 'studio-personas', label: t('Add simulated leads') },
      };
    case 'studio.no_dialogues':
      return { sentence: t('There are no dialogues yet in which the bot has answered.'), link: null };
    case 'studio.no_outcomes':
      return { sentence: t('There are no dialogues yet whose lead has agreed or refused.'), link: null };
    default:
      return null;
  }
}

function candidateText({ text, version }: RunPreset, newest: number | undefined): string {
  if (text !== undefined) return t('The text in the editor is tried, saved or not.');
  const tried = version ?? newest;
  return tried === undefined
    ? t('Its newest version is tried, and compared with what is live.')
    : t('Version {{version}} is tried, and compared with what is live.', { version: tried });
}

/** On what the prompt is tried. */
function Subjects({ form, productId }: { form: RunForm; productId: number }) {
  const { fields, edit } = form;
  const { kind, promptId, caseIds, personaIds, dialogueIds, sample, repeats, withJudge } = fields;
  const cases = useMemo(
    () =>
      optionSource({
        resource: studioCases,
        labelOf: (one) => one.name,
        query: { product_id: [productId], ...(promptId === null ? {} : { prompt_id: [promptId] }) },
      }),
    [productId, promptId],
  );
  const people = useMemo(
    () => optionSource({ resource: personas, labelOf: (one) => one.name, query: { product_id: [productId] } }),
    [productId],
  );
  const isReplay = kind === 'replay' || kind === 'classification';
  return (
    <>
      {kind === 'gate' && (
        <ReferencesSelect
          source={cases}
          value={caseIds}
          onChange={(ids) => edit({ caseIds: ids })}
          label={t('Test cases')}
          placeholder={caseIds.length === 0 ? t('All that are switched on') : undefined}
        />
      )}
      {kind === 'simulation' && (
        <ReferencesSelect
          source={people}
          value={personaIds}
          onChange={(ids) => edit({ personaIds: ids })}
          label={t('Simulated leads')}
          placeholder={personaIds.length === 0 ? t('All of the product') : undefined}
        />
      )}
      {isReplay && dialogueIds.length === 0 && (
        <NumberField
          label={t('Dialogues')}
          description={t('The newest ones in which the bot has answered.')}
          min={1}
          max={500}
          value={sample}
          empty={50}
          onChange={(value) => edit({ sample: value })}
        />
      )}
      {isReplay && dialogueIds.length > 0 && (
        <Text size="sm">
          {t('{{count}} chosen dialogues', { count: dialogueIds.length, defaultValue_one: 'The chosen dialogue' })}
        </Text>
      )}
      {!isReplay && (
        <NumberField
          label={t('How often each is tried')}
          description={t(
            'Models answer differently each time. Publishing needs test cases tried at least three times.',
          )}
          min={1}
          max={10}
          value={repeats}
          empty={3}
          onChange={(value) => edit({ repeats: value })}
        />
      )}
      {kind !== 'classification' && (
        <Switch
          checked={withJudge}
          onChange={(event) => edit({ withJudge: event.currentTarget.checked })}
          label={t('Have a judge compare the answers too')}
          description={t('A model that compares each pair in both orders. It costs extra calls.')}
        />
      )}
    </>
  );
}

function ModelSelect({ form: { fields, edit } }: { form: RunForm }) {
  const { company } = useScope();
  const settings = useEndpoint(readLlmSettings, { query: { company_id: company?.id } }, { enabled: company !== null });
  useLogError(settings.error, 'Failed to load LLM settings');
  const models = settings.data?.models ?? FALLBACK_MODELS;
  const groups = llmVendors.map((vendor) => ({
    group: llmVendorNames[vendor],
    items: (models[vendor] ?? []).map((model) => ({ value: `${vendor}/${model}`, label: model })),
  }));
  return (
    <Select
      label={t('Model')}
      placeholder={t('The model of the product')}
      data={groups.filter(({ items }) => items.length > 0)}
      searchable
      clearable
      value={fields.model === null ? null : `${fields.model.vendor}/${fields.model.model}`}
      onChange={(value) => {
        const vendor = llmVendors.find((one) => value?.startsWith(`${one}/`));
        edit({ model: vendor && value ? { vendor, model: value.slice(vendor.length + 1) } : null });
      }}
    />
  );
}

function BudgetField({ form: { fields, edit, budget, estimate } }: { form: RunForm }) {
  return (
    <BoundedNumberInput
      label={t('Budget')}
      description={
        estimate.data
          ? t('{{estimate}}. The run stops before it would spend more than its budget.', {
              estimate: estimateText(fields.kind, estimate.data),
            })
          : t('The run stops before it would spend more than its budget.')
      }
      prefix="$"
      min={0}
      max={10_000}
      step={0.1}
      value={budget}
      onChange={(value) => edit({ budget: typeof value === 'number' ? value : null })}
      rightSection={estimate.isFetching ? <Loader size="xs" /> : undefined}
    />
  );
}
