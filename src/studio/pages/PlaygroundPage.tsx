/** The prompt editor on the left; on the right up to three models that answer with its text. */
import { Button } from '@mantine/core';
import { IconColumns3, IconEraser, IconTestPipe } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { leads } from '../../leads/contract.ts';
import { FALLBACK_MODELS, readLlmSettings } from '../../llm/settingsContract.ts';
import { normalizeLineEndings } from '../../platform/lineEndings.ts';
import { preparedMessages } from '../../prompts/contract.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { t } from '../../ui/i18n.ts';
import { optionSource } from '../../ui/optionSource.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { parseId, usePage } from '../../ui/page.ts';
import { useEndpoint, useLogError } from '../../ui/query.ts';
import { ReferenceSelect } from '../../ui/ReferenceSelect.tsx';
import { useScope } from '../../ui/scope.ts';
import { usePersistedText } from '../../ui/useDraft.tsx';
import { ChatColumn } from './ChatColumn.tsx';
import { Composer } from './Composer.tsx';
import { MAX_COLUMNS } from './chatColumn.ts';
import { ImportedConversation, turnsBeforeQuestion, useImportedConversation } from './ImportedConversation.tsx';
import { PromptPane } from './PromptPane.tsx';
import classes from './playground.module.css';
import { StartRunDialog } from './runs/StartRunDialog.tsx';
import type { RunPreset } from './runs/useRunForm.ts';
import { StudioTabs } from './StudioTabs.tsx';
import { useColumns } from './useColumns.ts';
import { usePlaygroundContext } from './usePlaygroundContext.ts';
import { useChosenPrompt, usePromptDraft } from './usePromptDraft.ts';

export default function PlaygroundPage() {
  const { product } = useScope();
  const productId = product?.id ?? 0;
  return <Playground key={productId} productId={productId} />;
}

function Playground({ productId }: { productId: number }) {
  const { params } = usePage();
  const chosen = useChosenPrompt(productId);
  const edited = usePromptDraft(chosen.prompt);
  const [leadId, openingId] = [parseId(params.leadId), parseId(params.preparedMessageId)];
  const offeredModels = useOfferedModels();
  const [typed, setTyped] = usePersistedText({
    draftKey: `playground_message/${productId}`,
    what: t('Message in the playground'),
  });
  const imported = useImportedConversation();
  const importedTurns = useMemo(() => turnsBeforeQuestion(imported.talk), [imported.talk]);
  const models = useColumns(productId, imported);
  const { columns } = models;
  const ask = (content: string, mode: 'ask' | 'askAgain' = 'ask') => {
    const system = edited.unsaved ? edited.text : null;
    const frame = { prompt_id: chosen.promptId, system, prepared_message_id: openingId, lead_id: leadId };
    const sent = columns.map((column) => column.handle.current?.[mode](content, frame) ?? false);
    if (sent.some(Boolean) && mode === 'ask') setTyped('');
  };
  const clearing = useClearing(models.isEmpty);
  usePlaygroundContext({ chosen, edited, columns, ready: models.ready, talk: imported.talk, ask });
  const trying = useTryDialog(productId, {
    promptId: chosen.promptId,
    ...(edited.unsaved ? { text: edited.text } : {}),
  });
  return (
    <PageFrame
      title={t('Chatbot Playground')}
      fill
      actions={<Actions {...{ models, clearing }} onTry={chosen.promptId === null ? null : trying.open} />}
    >
      <StudioTabs />
      <div className={classes.frame}>
        <div className={classes.split} data-compared={columns.length > 1 || undefined}>
          <div className={classes.left}>
            <PromptPane productId={productId} chosen={chosen} edited={edited} />
            <ConversationFields productId={productId} isImported={imported.messageId !== null} />
          </div>
          <div className={classes.right}>
            <ImportedConversation
              imported={imported}
              prompt={chosen.prompt}
              ready={models.ready}
              onAskAgain={(content) => ask(content, 'askAgain')}
              onText={(version) => edited.setText(normalizeLineEndings(version))}
            />
            <div className={classes.lanes}>
              {columns.map((column) => (
                <ChatColumn
                  key={column.id}
                  id={column.id}
                  productId={productId}
                  importedTurns={importedTurns}
                  caseFields={{ lead_id: leadId ?? undefined, prompt_id: chosen.promptId }}
                  choice={column.choice}
                  models={offeredModels}
                  handle={column.handle}
                  onStatus={models.onStatus}
                  onChoice={(choice) => models.choose(column.id, choice)}
                  onRemove={columns.length > 1 ? () => clearing.ask(() => models.remove(column.id), column.id) : null}
                />
              ))}
            </div>
            <Composer
              text={typed}
              onChange={setTyped}
              canSend={models.ready}
              onSend={ask}
              onStop={models.pending ? models.stop : null}
            />
          </div>
        </div>
      </div>
      {edited.guard.question}
      {trying.dialog}
      {clearing.question}
    </PageFrame>
  );
}

/** Asks before a conversation is given up. */
function useClearing(isEmpty: (columnId?: string) => boolean) {
  const [clear, setClear] = useState<(() => void) | null>(null);
  return {
    /** Clears at once what is empty; without a column it is about all of them. */
    ask: (run: () => void, columnId?: string) => (isEmpty(columnId) ? run() : setClear(() => run)),
    question: clear && (
      <ConfirmDialog
        title={t('Clear')}
        text={t('Clear this conversation? This action cannot be undone.')}
        confirm={t('Clear')}
        color="red"
        run={async () => clear()}
        onDone={() => undefined}
        onClose={() => setClear(null)}
      />
    ),
  };
}

/** Starts a run of the text in the editor, saved or not. */
function useTryDialog(productId: number, preset: RunPreset) {
  const { go } = usePage();
  const [isOpen, setOpen] = useState(false);
  const dialog = isOpen && (
    <StartRunDialog
      productId={productId}
      preset={preset}
      onStarted={({ id }) => {
        setOpen(false);
        go('studio-run', { runId: id });
      }}
      onClose={() => setOpen(false)}
    />
  );
  return { open: () => setOpen(true), dialog };
}

/** What the conversation begins with: a lead, and a prepared message unless the conversation is an imported one. */
function ConversationFields({ productId, isImported }: { productId: number; isImported: boolean }) {
  const { params, setParams } = usePage();
  return (
    <>
      <LeadSelect productId={productId} value={parseId(params.leadId)} onChange={(id) => setParams({ leadId: id })} />
      {!isImported && (
        <OpeningSelect
          productId={productId}
          value={parseId(params.preparedMessageId)}
          onChange={(id) => setParams({ preparedMessageId: id })}
        />
      )}
    </>
  );
}

interface LeadSelectProps {
  productId: number;
  value: number | null;
  onChange: (id: string) => void;
}

function LeadSelect({ productId, value, onChange }: LeadSelectProps) {
  const source = useMemo(
    () => optionSource({ resource: leads, labelOf: (one) => one.name, query: { product_id: [productId] } }),
    [productId],
  );
  return (
    <ReferenceSelect
      source={source}
      value={String(value ?? '')}
      onChange={onChange}
      clearable
      label={t('As this lead')}
      description={t('Fills in the variables of the prompt.')}
      placeholder={t('Sample lead')}
    />
  );
}

function OpeningSelect({ productId, value, onChange }: LeadSelectProps) {
  const source = useMemo(
    () => optionSource({ resource: preparedMessages, labelOf: (one) => one.name, query: { product_id: [productId] } }),
    [productId],
  );
  return (
    <ReferenceSelect
      source={source}
      value={String(value ?? '')}
      onChange={onChange}
      clearable
      label={t('After this prepared message')}
      description={t('The conversation begins with it. If one has begun, press Clear.')}
      placeholder={t('None')}
    />
  );
}

/** Return the names of the models that the company can choose from. */
function useOfferedModels() {
  const { company } = useScope();
  const settings = useEndpoint(readLlmSettings, { query: { company_id: company?.id } }, { enabled: company !== null });
  useLogError(settings.error, 'Failed to load LLM settings');
  return settings.data?.models ?? FALLBACK_MODELS;
}

interface ActionsProps {
  models: Pick<ReturnType<typeof useColumns>, 'columns' | 'clear' | 'add'>;
  clearing: ReturnType<typeof useClearing>;
  /** Null while no prompt is chosen. */
  onTry: (() => void) | null;
}

function Actions({ models, clearing, onTry }: ActionsProps) {
  const count = models.columns.length;
  return (
    <>
      {onTry && (
        <Button size="xs" variant="default" leftSection={<IconTestPipe size="1rem" />} onClick={onTry}>
          {t('Start a run')}
        </Button>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconEraser size="1rem" />}
        onClick={() => clearing.ask(models.clear)}
      >
        {t('Clear')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconColumns3 size="1rem" />}
        disabled={count === 0 || count >= MAX_COLUMNS}
        onClick={models.add}
      >
        {t('Compare')}
      </Button>
    </>
  );
}
