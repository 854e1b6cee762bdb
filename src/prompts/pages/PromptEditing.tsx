import { Alert, Badge, Button, Grid, Stack, Tabs } from '@mantine/core';
import { IconDeviceFloppy } from '@tabler/icons-react';
import { Failure } from '../../ui/Failure.tsx';
import { FormFields } from '../../ui/FormFields.tsx';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { usePage } from '../../ui/page.ts';
import type { Prompt } from '../contract.ts';
import { PromptHistory } from './PromptHistory.tsx';
import { PromptPurpose } from './PromptPurpose.tsx';
import { PromptResults } from './PromptResults.tsx';
import { LeadPreviews } from './shared/LeadPreviews.tsx';
import { isDraft, LiveBadges } from './shared/liveState.tsx';
import { PromptText } from './shared/promptText.tsx';
import { UseLines } from './shared/promptUses.tsx';
import { PublishButton, RollBackButton } from './shared/usePublishing.tsx';
import { usePromptContext, usePromptEditor } from './usePromptEditor.ts';

/** Editor of a prompt; null: a new one. */
export function PromptEditing({ prompt }: { prompt: Prompt | null }) {
  const page = usePage();
  const editor = usePromptEditor(prompt);
  usePromptContext(editor);
  const { saved, form, replacing, publishing } = editor;
  return (
    <PageFrame
      title={saved?.name ?? t('New prompt')}
      onBack={() => page.back('prompts')}
      aside={
        form.changed ? (
          <Badge color="yellow">{t('Unsaved')}</Badge>
        ) : (
          saved && <Badge color="gray">{t('Version {{version}}', { version: saved.version })}</Badge>
        )
      }
      actions={
        <>
          <RollBackButton publishing={publishing} />
          <Button
            size="xs"
            leftSection={<IconDeviceFloppy size="1rem" />}
            disabled={!editor.canSave}
            loading={editor.pending}
            onClick={() => void editor.save()}
          >
            {publishing.savesDraft ? t('Save draft') : t('Save')}
          </Button>
          {saved && <PublishButton prompt={saved} publishing={publishing} unsaved={form.changed} />}
        </>
      }
    >
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="sm">
            {editor.notice}
            {saved && (publishing.savesDraft || isDraft(saved)) && <LiveBadges prompt={saved} />}
            <PromptText
              value={editor.text}
              onChange={(next) => form.set('text', next)}
              onSave={() => void editor.save()}
            />
            {form.errors.text !== undefined && <Failure error={new Error(form.errors.text)} />}
            {replacing !== null && (
              <Alert color="yellow" role="status">
                {replacing}
              </Alert>
            )}
            {editor.error && <Failure error={editor.error} />}
            {/* An existing prompt is opened to be read or for its text, not to be renamed. */}
            <FormFields
              form={{ ...form, fields: form.fields.filter((field) => field.name !== 'text') }}
              takesFocus={saved === null}
            />
            {saved && <PromptResults prompt={saved} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Aside editor={editor} />
        </Grid.Col>
      </Grid>
      {editor.question}
      {publishing.dialog}
      {editor.guard.question}
    </PageFrame>
  );
}

function Aside({ editor }: { editor: ReturnType<typeof usePromptEditor> }) {
  const { saved, form, type, text, productId } = editor;
  return (
    <Stack gap="md">
      {saved && <UseLines prompt={saved} productId={productId} />}
      {type && (
        <PromptPurpose
          prompt={saved?.type === type ? saved : null}
          type={type}
          productId={productId}
          onChanged={editor.setHasUnsavedSettings}
        />
      )}
      <Tabs defaultValue="rendered" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="rendered">{t('Preview')}</Tabs.Tab>
          {saved && <Tabs.Tab value="history">{t('History')}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="rendered">
          <LeadPreviews productId={productId} text={text} kind="prompt" narrow />
        </Tabs.Panel>
        {saved && (
          <Tabs.Panel value="history">
            <PromptHistory
              prompt={saved}
              unsaved={form.changed}
              publishing={editor.publishing}
              onRestored={editor.setStored}
            />
          </Tabs.Panel>
        )}
      </Tabs>
    </Stack>
  );
}
