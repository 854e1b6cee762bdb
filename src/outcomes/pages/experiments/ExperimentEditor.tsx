/** Editor of a draft of an experiment. */
import { Badge, Box, Button, Grid, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { PageFrame } from '../../../ui/PageFrame.tsx';
import { usePage } from '../../../ui/page.ts';
import { usePageContext } from '../../../ui/pageContext.ts';
import { SaveButtons } from '../../../ui/SaveButtons.tsx';
import { Section } from '../../../ui/Section.tsx';
import type { Experiment } from '../../experimentContract.ts';
import { ArmsSection } from './ArmFields.tsx';
import { withKind } from './experimentDraft.ts';
import { durationSentence } from './experimentForecast.ts';
import { kindOptions } from './experimentLabels.ts';
import { draftContext } from './experimentTools.ts';
import { forecastInput, GuardsSection, MeasurementSection, PlanSection } from './PlanFields.tsx';
import { StartDialog } from './StartDialog.tsx';
import { useExperimentActions } from './useExperimentActions.ts';
import { type ExperimentEditorState, useExperimentEditor } from './useExperimentEditor.ts';

/** Stands for a draft that has no row yet; nothing is called for it. */
const UNSAVED = { id: 0, version: 0 };

interface ExperimentEditorProps {
  /** Null: a new one. */
  experiment: Experiment | null;
  productId: number;
}

export function ExperimentEditor({ experiment, productId }: ExperimentEditorProps) {
  const page = usePage();
  const editor = useExperimentEditor(experiment, productId);
  const [isStarting, setStarting] = useState(false);
  const { stored, changed } = editor;
  const { start } = useExperimentActions(stored ?? UNSAVED);
  usePageContext(draftContext(editor, start));
  const input = forecastInput(editor);
  return (
    <PageFrame
      title={stored?.name ?? t('New experiment')}
      onBack={() => page.back('experiments')}
      aside={changed ? <Badge color="yellow">{t('Unsaved')}</Badge> : <Badge color="gray">{t('Draft')}</Badge>}
      actions={
        <>
          <SaveButtons
            label={t('Save')}
            changed={changed}
            isNew={stored === null}
            saving={editor.saving}
            onSave={editor.save}
            onReset={editor.restore}
          />
          {stored && (
            <Button
              size="xs"
              leftSection={<IconPlayerPlay size="1rem" />}
              disabled={changed || editor.saving}
              title={changed ? t('Save or discard your changes first.') : undefined}
              onClick={() => setStarting(true)}
            >
              {t('Start')}
            </Button>
          )}
        </>
      }
    >
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="md">
            {editor.notice}
            {editor.error && <Failure error={editor.error} />}
            <General editor={editor} />
            <ArmsSection editor={editor} />
            <MeasurementSection editor={editor} />
            <GuardsSection editor={editor} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Box pos="sticky" top={0}>
            <PlanSection editor={editor} />
          </Box>
        </Grid.Col>
      </Grid>
      {isStarting && stored && (
        <StartDialog
          experiment={stored}
          duration={input && (durationSentence(input)?.text ?? null)}
          onClose={() => setStarting(false)}
        />
      )}
      {editor.guard.question}
    </PageFrame>
  );
}

const EXPLANATIONS: Readonly<Record<Experiment['kind'], string>> = {
  first_text: 'New leads get different first messages.',
  prompt: 'Leads are answered with different texts of the chatbot prompt. They take part once they have written.',
  model: 'Leads are answered by different models. They take part once they have written.',
};

function General({ editor }: { editor: ExperimentEditorState }) {
  const { draft } = editor;
  return (
    <Section title={t('General')}>
      <Stack gap="sm">
        <TextInput
          label={t('Name')}
          required
          maxLength={200}
          value={draft.name}
          error={editor.faultAt('name')}
          onChange={(event) => editor.edit({ name: event.currentTarget.value })}
        />
        <div>
          <SegmentedControl
            fullWidth
            aria-label={t('Kind')}
            data={kindOptions()}
            value={draft.kind}
            onChange={(value) => {
              const chosen = kindOptions().find((one) => one.value === value);
              if (chosen) editor.setDraft((former) => withKind(former, chosen.value));
            }}
          />
          <Text size="sm" c="dimmed" mt="xs">
            {t(EXPLANATIONS[draft.kind])}
          </Text>
        </div>
      </Stack>
    </Section>
  );
}
