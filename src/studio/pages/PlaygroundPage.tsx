/** The prompt editor on the left; on the right up to three models that answer with its text. */
import { Badge, Button, Group, Text, Textarea } from '@mantine/core';
import { IconColumns3, IconDeviceFloppy, IconEraser, IconPlayerStop, IconSend } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { leads } from '../../leads/contract.ts';
import { FALLBACK_MODELS, readLlmSettings } from '../../llm/settingsContract.ts';
import { promptOfProduct, prompts } from '../../prompts/contract.ts';
import { PromptText } from '../../prompts/pages/promptText.tsx';
import { promptTools, promptView } from '../../prompts/pages/promptTools.ts';
import { UseBadge, usePromptsInUse } from '../../prompts/pages/promptUses.tsx';
import { ApiError, call } from '../../ui/api.ts';
import { MINIMAL_EDITS_PROMPT } from '../../ui/editTextTool.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { normalizeLineEndings } from '../../ui/lineEndings.ts';
import { optionSource } from '../../ui/optionSource.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { PageLink } from '../../ui/PageLink.tsx';
import { parseId, usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { pageTools } from '../../ui/pageTool.ts';
import { keyOf, useEndpoint, useLogError } from '../../ui/query.ts';
import { ReferenceSelect } from '../../ui/ReferenceSelect.tsx';
import { useScope } from '../../ui/scope.ts';
import { useViewRef } from '../../ui/undo.ts';
import { usePersistedText } from '../../ui/useDraft.tsx';
import { ChatColumn } from './ChatColumn.tsx';
import { MAX_COLUMNS } from './chatColumn.ts';
import { ImportedConversation, turnsBeforeQuestion, useImportedConversation } from './ImportedConversation.tsx';
import classes from './playground.module.css';
import { askTool, choosePromptTool } from './playgroundTools.ts';
import { useColumns } from './useColumns.ts';
import { usePromptDraft } from './usePromptDraft.ts';

export default function PlaygroundPage() {
  const { product } = useScope();
  const productId = product?.id ?? 0;
  return <Playground key={productId} productId={productId} />;
}

function Playground({ productId }: { productId: number }) {
  const page = usePage();
  const { company } = useScope();
  const cache = useQueryClient();
  const requestedPromptId = parseId(page.params.promptId);
  const defaultPrompt = useEndpoint(
    promptOfProduct,
    { params: { product_id: productId }, query: { type: 'prompt' } },
    { enabled: requestedPromptId === null },
  );
  const promptId = requestedPromptId ?? defaultPrompt.data?.id ?? null;
  const promptQuery = useEndpoint(prompts.get, { params: { id: promptId ?? 0 } }, { enabled: promptId !== null });
  const prompt = promptQuery.data ?? null;
  const leadId = String(parseId(page.params.leadId) ?? '');
  const {
    stored,
    text,
    unsaved,
    setText,
    took: setStored,
    saving,
    error,
    save,
    guard,
    notice,
  } = usePromptDraft(prompt);
  const uses = usePromptsInUse(productId).data?.items;
  const view = promptView(promptId ?? 0);
  useViewRef(view, {
    value: text,
    set: setText,
    changed: unsaved,
    onSaved: setStored,
    onDeleted: () => page.setParams({ promptId: undefined }),
  });

  const settings = useEndpoint(readLlmSettings, { query: { company_id: company?.id } }, { enabled: company !== null });
  useLogError(settings.error, 'Failed to load LLM settings');
  const [typed, setTyped] = usePersistedText({
    draftKey: `playground_message/${productId}`,
    what: t('Message in the playground'),
  });
  const imported = useImportedConversation();
  const { talk } = imported;
  const importedTurns = useMemo(() => turnsBeforeQuestion(talk), [talk]);
  const { lanes: columns, pending, ready, ...models } = useColumns(productId, imported);
  const canSend = typed.trim() !== '' && ready;
  const ask = (content: string, mode: 'ask' | 'askAgain' = 'ask') => {
    const frame = {
      prompt_id: promptId,
      system: unsaved ? text : null,
      lead_id: leadId === '' ? null : Number(leadId),
    };
    const sent = columns.map((column) => column.handle.current?.[mode](content, frame) ?? false);
    if (sent.some(Boolean) && mode === 'ask') setTyped('');
  };
  usePageContext({
    description: t('The playground: a prompt in its editor, and models that answer under it as it stands there.'),
    summary: JSON.stringify({
      prompt: prompt && { id: prompt.id, name: prompt.name, version: prompt.version },
      unsaved,
      text,
      models: columns.map((column) => column.choice),
      dialogue_to_try: talk && { lead: talk.lead_name, talk: talk.talk, answer: talk.answer },
    }),
    systemPrompt: MINIMAL_EDITS_PROMPT,
    ...pageTools(
      ...(stored
        ? promptTools({
            view,
            saved: stored,
            changed: unsaved,
            // Only the text is saved here: the prompt keeps its place.
            replacing: null,
            save: () => saving.mutateAsync(stored),
          })
        : []),
      choosePromptTool(async (id) => {
        if (unsaved) throw new Error(t('The text in the editor is not saved yet.'));
        const params = { id };
        // Load the prompt before the page opens it, so that the assistant can edit it in the same turn.
        await cache.fetchQuery({
          queryKey: keyOf(prompts.get, { params }),
          queryFn: () => call(prompts.get, { params }),
        });
        page.setParams({ promptId: id });
      }),
      askTool((content) => {
        if (!ready) throw new Error(t('The models are not connected, or still answer.'));
        ask(content);
      }),
    ),
  });
  const choices = useMemo(
    () => ({
      prompts: optionSource(
        prompts,
        (one) => one.name,
        { product_id: [productId] },
        t('Failed to load prompts for product'),
      ),
      leads: optionSource(leads, (one) => one.name, { product_id: [productId] }),
    }),
    [productId],
  );
  const noPrompt = defaultPrompt.error instanceof ApiError && defaultPrompt.error.status === 404;

  return (
    <PageFrame
      title={t('Chatbot Playground')}
      fill
      actions={
        <>
          <Button size="xs" variant="default" leftSection={<IconEraser size="1rem" />} onClick={models.clear}>
            {t('Clear')}
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconColumns3 size="1rem" />}
            disabled={columns.length === 0 || columns.length >= MAX_COLUMNS}
            onClick={models.add}
          >
            {t('Compare')}
          </Button>
        </>
      }
    >
      <div className={classes.frame}>
        <div className={classes.split} data-compared={columns.length > 1 || undefined}>
          <div className={classes.left}>
            {notice}
            <Group gap="xs" wrap="nowrap" align="flex-end">
              <ReferenceSelect
                source={choices.prompts}
                value={promptId === null ? '' : String(promptId)}
                onChange={(id) => guard.ask(() => page.setParams({ promptId: id === '' ? undefined : id }))}
                label={t('Prompt')}
                placeholder={t('Choose a prompt')}
                style={{ flex: 1 }}
              />
              {prompt && uses && <UseBadge uses={uses} promptId={prompt.id} />}
              {unsaved && <Badge color="yellow">{t('Unsaved')}</Badge>}
              <Button
                leftSection={<IconDeviceFloppy size="1rem" />}
                disabled={!unsaved || saving.isPending}
                loading={saving.isPending}
                onClick={save}
              >
                {t('Save')}
              </Button>
            </Group>
            {error && <Failure error={error} />}
            {promptQuery.error && <Failure error={promptQuery.error} onRetry={() => promptQuery.refetch()} />}
            {defaultPrompt.error && !noPrompt && (
              <Failure
                error={defaultPrompt.error}
                what={t('Failed to load prompts for product')}
                onRetry={() => defaultPrompt.refetch()}
              />
            )}
            {noPrompt && promptId === null ? (
              <Text size="sm" c="dimmed">
                {t('The product has no prompt yet.')} <PageLink to="prompt-detail">{t('Write one')}</PageLink>
              </Text>
            ) : (
              prompt && (
                // The key gives each prompt its own undo history.
                <PromptText key={prompt.id} value={text} onChange={setText} onSave={save} />
              )
            )}
            <ReferenceSelect
              source={choices.leads}
              value={leadId}
              onChange={(id) => page.setParams({ leadId: id === '' ? undefined : id })}
              clearable
              label={t('As this lead')}
              description={t('Fills in the variables of the prompt.')}
              placeholder={t('Sample lead')}
            />
          </div>
          <div className={classes.right}>
            <ImportedConversation
              imported={imported}
              prompt={prompt}
              ready={ready}
              onAskAgain={(content) => ask(content, 'askAgain')}
              onText={(version) => setText(normalizeLineEndings(version))}
            />
            <div className={classes.lanes}>
              {columns.map((column) => (
                <ChatColumn
                  key={column.id}
                  id={column.id}
                  productId={productId}
                  importedTurns={importedTurns}
                  choice={column.choice}
                  models={settings.data?.models ?? FALLBACK_MODELS}
                  handle={column.handle}
                  onStatus={models.onStatus}
                  onChoice={(choice) => models.choose(column.id, choice)}
                  onRemove={columns.length > 1 ? () => models.remove(column.id) : null}
                />
              ))}
            </div>
            <form
              className={classes.composer}
              onSubmit={(event) => {
                event.preventDefault();
                if (canSend) ask(typed.trim());
              }}
            >
              <Textarea
                className={classes.typing}
                aria-label={t('Message')}
                placeholder={t('Write as the lead')}
                autosize
                minRows={1}
                maxRows={6}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
                  event.preventDefault();
                  if (canSend) ask(typed.trim());
                }}
              />
              {pending ? (
                <Button variant="default" leftSection={<IconPlayerStop size="1rem" />} onClick={models.stop}>
                  {t('Stop')}
                </Button>
              ) : (
                <Button type="submit" disabled={!canSend} leftSection={<IconSend size="1rem" />}>
                  {t('Send')}
                </Button>
              )}
            </form>
          </div>
        </div>
      </div>
      {guard.question}
    </PageFrame>
  );
}
