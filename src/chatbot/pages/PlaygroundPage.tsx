/** A prompt on the left, as it stands in the editor; on the right up to three models that answer under it. */
import { Badge, Button, Group, Text, Textarea } from '@mantine/core';
import { IconColumns3, IconDeviceFloppy, IconEraser, IconPlayerStop, IconSend } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ApiError, call } from '../../kit/api.ts';
import { useKeptText } from '../../kit/edited.tsx';
import { Failure } from '../../kit/Failure.tsx';
import { withLineFeeds } from '../../kit/lineEnds.ts';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { PageLink } from '../../kit/PageLink.tsx';
import { idIn, usePage } from '../../kit/page.ts';
import { usePageContext } from '../../kit/pageContext.ts';
import { pageTools } from '../../kit/pageTool.ts';
import { keyOf, useEndpoint, useLogged } from '../../kit/query.ts';
import { ReferenceSelect } from '../../kit/ReferenceSelect.tsx';
import { useScope } from '../../kit/scope.ts';
import { sourceOf } from '../../kit/source.ts';
import { t } from '../../kit/t.ts';
import { MINIMAL_EDITS } from '../../kit/textTool.ts';
import { useInView } from '../../kit/undo.ts';
import { leads } from '../../leads/contract.ts';
import { FALLBACK_MODELS, readLlmSettings } from '../../llm/settingsContract.ts';
import { promptOfProduct, prompts } from '../../prompts/contract.ts';
import { UseBadge, usePromptsInUse } from '../../prompts/pages/inUse.tsx';
import { PromptText } from '../../prompts/pages/promptText.tsx';
import { promptTools, promptView } from '../../prompts/pages/promptTools.ts';
import { BroughtTalk, beforeAsked, useBroughtTalk } from './BroughtTalk.tsx';
import { ChatLane } from './ChatLane.tsx';
import { MOST_LANES } from './lane.ts';
import classes from './playground.module.css';
import { askTool, choosePromptTool } from './playgroundTools.ts';
import { useLanes } from './useLanes.ts';
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
  const given = idIn(page.params.promptId);
  const own = useEndpoint(
    promptOfProduct,
    { params: { product_id: productId }, query: { type: 'prompt' } },
    { enabled: given === null },
  );
  const promptId = given ?? own.data?.id ?? null;
  const found = useEndpoint(prompts.get, { params: { id: promptId ?? 0 } }, { enabled: promptId !== null });
  const prompt = found.data ?? null;
  const leadId = String(idIn(page.params.leadId) ?? '');
  const { stored, text, unsaved, put, took, saving, error, save, guard, notice } = usePromptDraft(prompt);
  const uses = usePromptsInUse(productId).data?.items;
  const view = promptView(promptId ?? 0);
  useInView(view, {
    value: text,
    put,
    changed: unsaved,
    took,
    gone: () => page.setParams({ promptId: undefined }),
  });

  const settings = useEndpoint(readLlmSettings, { query: { company_id: company?.id } }, { enabled: company !== null });
  useLogged(settings.error, 'Failed to load LLM settings');
  const [typed, setTyped] = useKeptText({
    place: `playground_message/${productId}`,
    what: t('Message in the playground'),
  });
  const brought = useBroughtTalk();
  const { talk } = brought;
  const before = useMemo(() => beforeAsked(talk), [talk]);
  const { lanes, pending, ready, ...models } = useLanes(productId, brought);
  const canSend = typed.trim() !== '' && ready;
  const ask = (content: string, how: 'ask' | 'again' = 'ask') => {
    const frame = {
      prompt_id: promptId,
      system: unsaved ? text : null,
      lead_id: leadId === '' ? null : Number(leadId),
    };
    const sent = lanes.map((lane) => lane.handle.current?.[how](content, frame) ?? false);
    if (sent.some(Boolean) && how === 'ask') setTyped('');
  };
  usePageContext({
    description: t('The playground: a prompt in its editor, and models that answer under it as it stands there.'),
    summary: JSON.stringify({
      prompt: prompt && { id: prompt.id, name: prompt.name, version: prompt.version },
      unsaved,
      text,
      models: lanes.map((lane) => lane.choice),
      dialogue_to_try: talk && { lead: talk.lead_name, talk: talk.talk, answer: talk.answer },
    }),
    systemPrompt: MINIMAL_EDITS,
    ...pageTools(
      ...(stored
        ? promptTools({
            view,
            saved: stored,
            changed: unsaved,
            // The text alone is saved here: it stays in the place that it has.
            replacing: null,
            save: () => saving.mutateAsync(stored),
          })
        : []),
      choosePromptTool(async (id) => {
        if (unsaved) throw new Error(t('The text in the editor is not saved yet.'));
        const params = { id };
        // There when the page turns to it, so that it can be edited in the same breath.
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
      prompts: sourceOf(
        prompts,
        (one) => one.name,
        { product_id: [productId] },
        t('Failed to load prompts for product'),
      ),
      leads: sourceOf(leads, (one) => one.name, { product_id: [productId] }),
    }),
    [productId],
  );
  const noPrompt = own.error instanceof ApiError && own.error.status === 404;

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
            disabled={lanes.length === 0 || lanes.length >= MOST_LANES}
            onClick={models.add}
          >
            {t('Compare')}
          </Button>
        </>
      }
    >
      <div className={classes.frame}>
        <div className={classes.split} data-compared={lanes.length > 1 || undefined}>
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
            {found.error && <Failure error={found.error} onRetry={() => found.refetch()} />}
            {own.error && !noPrompt && (
              <Failure error={own.error} what={t('Failed to load prompts for product')} onRetry={() => own.refetch()} />
            )}
            {noPrompt && promptId === null ? (
              <Text size="sm" c="dimmed">
                {t('The product has no prompt yet.')} <PageLink to="prompt-detail">{t('Write one')}</PageLink>
              </Text>
            ) : (
              prompt && (
                // Each with an undo history of its own.
                <PromptText key={prompt.id} value={text} onChange={put} onSave={save} />
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
            <BroughtTalk
              brought={brought}
              prompt={prompt}
              ready={ready}
              onAgain={(content) => ask(content, 'again')}
              onText={(version) => put(withLineFeeds(version))}
            />
            <div className={classes.lanes}>
              {lanes.map((lane) => (
                <ChatLane
                  key={lane.id}
                  id={lane.id}
                  productId={productId}
                  brought={before}
                  choice={lane.choice}
                  models={settings.data?.models ?? FALLBACK_MODELS}
                  handle={lane.handle}
                  onStatus={models.onStatus}
                  onChoice={(choice) => models.choose(lane.id, choice)}
                  onRemove={lanes.length > 1 ? () => models.remove(lane.id) : null}
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
