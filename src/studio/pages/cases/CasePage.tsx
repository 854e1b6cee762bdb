/** Page of one test case. Without an id it is the form for a new one. */
import { Badge, Button, Code, Grid, Group, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { PageFrame } from '../../../ui/PageFrame.tsx';
import { PageLink } from '../../../ui/PageLink.tsx';
import { PageLoading } from '../../../ui/PageLoading.tsx';
import { PlainText } from '../../../ui/PlainText.tsx';
import { parseId, usePage } from '../../../ui/page.ts';
import { usePageContext } from '../../../ui/pageContext.ts';
import { useFreshQuery } from '../../../ui/query.ts';
import { ReferenceSelect } from '../../../ui/ReferenceSelect.tsx';
import { SaveButtons } from '../../../ui/SaveButtons.tsx';
import { Section } from '../../../ui/Section.tsx';
import { useScope } from '../../../ui/scope.ts';
import { useSaveShortcut } from '../../../ui/shortcuts.ts';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { type StudioCase, studioCases } from '../../caseContract.ts';
import { sourceLabel } from '../labels.ts';
import { StartRunDialog } from '../runs/StartRunDialog.tsx';
import { ConversationLines } from '../shared/ConversationLines.tsx';
import { promptSource } from '../shared/promptSource.ts';
import classes from '../studio.module.css';
import { caseContext } from './caseTools.ts';
import { HistoryFields } from './HistoryFields.tsx';
import { RequirementFields } from './RequirementFields.tsx';
import { type CaseEditorState, useCaseEditor } from './useCaseEditor.ts';

export default function CasePage() {
  const page = usePage();
  const { product } = useScope();
  const idParam = page.params['caseId'] ?? '';
  const id = parseId(idParam);
  const found = useFreshQuery(studioCases.get, { params: { id: id ?? 0 } }, { enabled: id !== null });
  if (idParam === '') return <CaseEditor key="new" stored={null} productId={product?.id ?? 0} />;
  if (found.data) return <CaseEditor key={id} stored={found.data} productId={found.data.product_id} />;
  return (
    <PageLoading
      title={t('Test case')}
      entity={t('test case')}
      description={t('One test case.')}
      error={found.error}
      onRetry={() => void found.refetch()}
      onBack={() => page.back('studio-cases')}
    />
  );
}

function CaseEditor({ stored, productId }: { stored: StudioCase | null; productId: number }) {
  const page = usePage();
  const editor = useCaseEditor(stored, productId);
  const [isStarting, setStarting] = useState(false);
  const { changed, draft } = editor;
  useSaveShortcut(() => void editor.save());
  usePageContext(caseContext(editor));
  return (
    <PageFrame
      title={editor.stored?.name ?? t('New test case')}
      onBack={() => page.back('studio-cases')}
      aside={changed ? <Badge color="yellow">{t('Unsaved')}</Badge> : undefined}
      actions={
        <>
          <SaveButtons
            label={t('Save')}
            changed={changed}
            isNew={editor.stored === null}
            saving={editor.saving}
            onSave={editor.save}
            onReset={editor.restore}
          />
          {editor.stored && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlayerPlay size="1rem" />}
              disabled={changed}
              title={changed ? t('Save or discard your changes first.') : undefined}
              onClick={() => setStarting(true)}
            >
              {t('Run')}
            </Button>
          )}
        </>
      }
    >
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="md">
            {editor.notice}
            {editor.error && <Failure error={editor.error} />}
            <General editor={editor} productId={productId} />
            <RequirementFields editor={editor} />
            <Rubric editor={editor} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="md">
            <Conversation editor={editor} />
            {editor.stored && <Facts stored={editor.stored} />}
          </Stack>
        </Grid.Col>
      </Grid>
      {isStarting && editor.stored && (
        <StartRunDialog
          productId={productId}
          preset={{ kind: 'gate', promptId: draft.prompt_id, caseIds: [editor.stored.id] }}
          onStarted={({ id }) => page.go('studio-run', { runId: id })}
          onClose={() => setStarting(false)}
        />
      )}
      {editor.guard.question}
    </PageFrame>
  );
}

function General({ editor, productId }: { editor: CaseEditorState; productId: number }) {
  const { draft, edit, faultAt } = editor;
  const source = useMemo(() => promptSource(productId, [draft.prompt_type]), [productId, draft.prompt_type]);
  return (
    <Section title={t('General')}>
      <Stack gap="sm">
        <TextInput
          label={t('Name')}
          required
          maxLength={200}
          value={draft.name}
          error={faultAt('name')}
          onChange={(event) => edit({ name: event.currentTarget.value })}
        />
        <ReferenceSelect
          source={source}
          value={String(draft.prompt_id ?? '')}
          onChange={(id) => edit({ prompt_id: id === '' ? null : Number(id) })}
          clearable
          label={t('Prompt')}
          description={t('Publishing this prompt needs the case to pass.')}
          placeholder={t('Any prompt that answers leads')}
        />
        <Switch
          checked={draft.is_enabled}
          onChange={(event) => edit({ is_enabled: event.currentTarget.checked })}
          label={t('Run this case')}
          description={t('When off, no run tries it unless it is chosen.')}
        />
      </Stack>
    </Section>
  );
}

function Rubric({ editor: { draft, edit, faultAt } }: { editor: CaseEditorState }) {
  return (
    <Section title={t('In words, for a judge')}>
      <Textarea
        aria-label={t('In words, for a judge')}
        description={t(
          'A model reads this and compares the answers. Its opinion alone blocks nothing until it is calibrated.',
        )}
        autosize
        minRows={2}
        maxRows={8}
        value={draft.rubric}
        error={faultAt('rubric')}
        onChange={(event) => edit({ rubric: event.currentTarget.value })}
      />
    </Section>
  );
}

/** The conversation: as it was, or written by hand. */
function Conversation({ editor }: { editor: CaseEditorState }) {
  const { stored, draft } = editor;
  const isFixed = stored !== null && stored.source !== 'manual';
  return (
    <Section title={t('Conversation')}>
      <Stack gap="sm">
        {isFixed ? (
          <ConversationLines lines={draft.history} label={t('Conversation')} />
        ) : (
          <HistoryFields editor={editor} />
        )}
        {stored?.answer && (
          <div>
            <Text size="xs" c="dimmed">
              {stored.source === 'should_say' ? t('What should have been said') : t('The answer it was made from')}
            </Text>
            <div className={classes.answer}>
              <PlainText text={stored.answer} />
            </div>
          </div>
        )}
        {stored?.dialogue_id && (
          <PageLink to="dialogue-chat" params={{ dialogueId: stored.dialogue_id, messageId: stored.message_id }}>
            {t('Open the dialogue')}
          </PageLink>
        )}
      </Stack>
    </Section>
  );
}

/** What the model is given beside the conversation. */
function Facts({ stored }: { stored: StudioCase }) {
  const { facts, source, author, created_at } = stored;
  const fields = Object.entries(facts.lead.crm_fields);
  return (
    <Section title={t('Facts as they were')}>
      <Stack gap={4}>
        <Text size="sm">
          {t('{{name}}, stage {{stage}}', { name: facts.lead.name, stage: facts.lead.stage })} ·{' '}
          <Timestamp iso={facts.now} absolute />
        </Text>
        {fields.map(([name, value]) => (
          <Text key={name} size="sm">
            <Text span inherit c="dimmed">
              {name}:
            </Text>{' '}
            {Array.isArray(value) ? value.join(', ') : String(value)}
          </Text>
        ))}
        {facts.texts.length > 0 && (
          <Text size="sm">
            {t('{{count}} texts to look up', { count: facts.texts.length, defaultValue_one: 'One text to look up' })}:{' '}
            {facts.texts.map(({ name }) => name).join(', ')}
          </Text>
        )}
        {facts.as_of_creation.length > 0 && (
          <Text size="sm" c="dimmed">
            {t('Not known as it was then, so as of the creation of this case:')}{' '}
            <Code>{facts.as_of_creation.join(', ')}</Code>
          </Text>
        )}
        <Group gap={4}>
          <Text size="sm" c="dimmed">
            {author === null
              ? sourceLabel(source)
              : t('{{source}}, by {{author}}', { source: sourceLabel(source), author })}
            {', '}
            <Timestamp iso={created_at} />
          </Text>
        </Group>
      </Stack>
    </Section>
  );
}
