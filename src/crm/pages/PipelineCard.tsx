/** One pipeline of the CRM: whether it is active, and which of its steps belongs to which stage. */
import { Button, Group, List, Select, Stack, Switch, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type Stage, stages } from '../../leads/contract.ts';
import { StageBadge, stageLabel } from '../../leads/pages/shared/stage.tsx';
import { t } from '../../ui/i18n.ts';
import { NumberField } from '../../ui/NumberField.tsx';
import { Section } from '../../ui/Section.tsx';
import classes from './integration.module.css';
import {
  type Directory,
  type Faults,
  type PipelineOnPage,
  setPipeline,
  setStep,
  sharedSteps,
} from './integrationDraft.ts';

interface PipelineCardProps {
  number: number;
  pipeline: PipelineOnPage;
  /** Undefined if the names cannot be read; ids are shown instead. */
  directory: Directory | undefined;
  warnings: readonly string[];
  faults: Faults;
  onChange: (next: (previous: PipelineOnPage) => PipelineOnPage) => void;
  onRemove: () => void;
}

export function PipelineCard({ number, pipeline, directory, warnings, faults, onChange, onRemove }: PipelineCardProps) {
  const errorAt = (field: string) => faults[`config.pipelines.${number - 1}.${field}`] ?? null;
  return (
    <Section
      title={t('Pipeline {{number}}', { number })}
      actions={
        <>
          <Switch
            label={t('Active')}
            checked={pipeline.is_active}
            onChange={({ currentTarget: { checked } }) => onChange((previous) => ({ ...previous, is_active: checked }))}
          />
          <Button
            size="xs"
            variant="subtle"
            color="red"
            leftSection={<IconTrash size="1rem" />}
            aria-label={t('Remove pipeline {{number}}', { number })}
            onClick={onRemove}
          >
            {t('Remove')}
          </Button>
        </>
      }
    >
      <Stack gap="md">
        <PipelineField
          pipeline={pipeline}
          directory={directory}
          error={errorAt('pipeline_id')}
          onChoose={(id) => onChange((previous) => setPipeline(previous, id, directory))}
        />
        {warnings.map((warning) => (
          <Text key={warning} size="sm" c="dimmed" role="note">
            {warning}
          </Text>
        ))}
        {(pipeline.pipeline_id !== 0 || !directory) && (
          <>
            <ul className={classes.steps} aria-label={t('Steps of pipeline {{number}}', { number })}>
              {stages.map((stage) => (
                <li key={stage} className={classes.step}>
                  <span className={classes.stage}>
                    <StageBadge stage={stage} />
                  </span>
                  <StepField
                    stage={stage}
                    step={pipeline.steps[stage]}
                    steps={directory ? (findPipeline(directory, pipeline)?.steps ?? []) : null}
                    error={errorAt(`steps.${stage}`)}
                    onChange={(step) => onChange((previous) => setStep(previous, stage, step))}
                  />
                </li>
              ))}
            </ul>
            <SharedStepsNote pipeline={pipeline} />
          </>
        )}
      </Stack>
    </Section>
  );
}

const findPipeline = ({ pipelines }: Directory, { pipeline_id }: PipelineOnPage) =>
  pipelines.find(({ id }) => id === pipeline_id);

interface PipelineFieldProps extends Pick<PipelineCardProps, 'pipeline' | 'directory'> {
  error: string | null;
  onChoose: (id: number) => void;
}

function PipelineField({ pipeline, directory, error, onChoose }: PipelineFieldProps) {
  const field = { error, 'data-pipeline': pipeline.key };
  return directory ? (
    <Select
      {...field}
      label={t('Pipeline in amoCRM')}
      placeholder={t('Choose a pipeline')}
      data={pipelineOptions(directory, pipeline.pipeline_id)}
      value={pipeline.pipeline_id === 0 ? null : String(pipeline.pipeline_id)}
      searchable
      allowDeselect={false}
      nothingFoundMessage={t('Nothing found')}
      onChange={(value) => value !== null && onChoose(Number(value))}
    />
  ) : (
    <NumberField
      {...field}
      label={t('Pipeline id in amoCRM')}
      description={t('0 means none.')}
      value={pipeline.pipeline_id}
      empty={0}
      min={0}
      allowDecimal={false}
      hideControls
      onChange={onChoose}
    />
  );
}

interface StepFieldProps {
  stage: Stage;
  step: number;
  /** Null if the names cannot be read. */
  steps: Directory['pipelines'][number]['steps'] | null;
  error: string | null;
  onChange: (step: number) => void;
}

function StepField({ stage, step, steps, error, onChange }: StepFieldProps) {
  const label = t('Step for {{stage}}', { stage: stageLabel(stage) });
  if (steps === null)
    return (
      <NumberField
        aria-label={label}
        description={step === 0 ? t('Not mapped') : null}
        inputWrapperOrder={['input', 'description', 'error']}
        value={step}
        empty={0}
        min={0}
        allowDecimal={false}
        hideControls
        error={error}
        onChange={onChange}
      />
    );
  return (
    <Select
      aria-label={label}
      data={stepOptions(steps, step)}
      value={String(step)}
      error={error}
      searchable
      allowDeselect={false}
      nothingFoundMessage={t('Nothing found')}
      onChange={(value) => value !== null && onChange(Number(value))}
    />
  );
}

/** Explain what happens to leads whose card is moved into a step that several stages share. */
function SharedStepsNote({ pipeline }: { pipeline: PipelineOnPage }) {
  const shared = sharedSteps(pipeline);
  if (shared.length === 0) return null;
  return (
    <Group gap="xs" align="flex-start">
      <Text size="sm" c="dimmed">
        {t(
          'Stages that share a step. When a card moves there, its lead keeps its stage if it is one of them, and otherwise gets the first one.',
        )}
      </Text>
      <List size="sm" c="dimmed">
        {shared.map((sharing) => (
          <List.Item key={sharing.join()}>{sharing.map(stageLabel).join(', ')}</List.Item>
        ))}
      </List>
    </Group>
  );
}

interface Option {
  value: string;
  label: string;
}

function pipelineOptions({ pipelines }: Directory, chosen: number): Option[] {
  const options = pipelines.map(({ id, name }) => ({ value: String(id), label: name }));
  return chosen === 0 || pipelines.some(({ id }) => id === chosen) ? options : [...options, missingOption(chosen)];
}

function stepOptions(steps: Directory['pipelines'][number]['steps'], chosen: number): Option[] {
  const options = [
    { value: '0', label: t('Not mapped') },
    ...steps.map(({ id, name, is_incoming: isIncoming }) => ({
      value: String(id),
      label: isIncoming ? t('{{name}} (incoming: amoCRM does not let cards leave it)', { name }) : name,
    })),
  ];
  return options.some(({ value }) => value === String(chosen)) ? options : [...options, missingOption(chosen)];
}

const missingOption = (id: number): Option => ({
  value: String(id),
  label: t('No longer in amoCRM (id {{id}})', { id: String(id) }),
});
