/** Assistant tools for the hand-over of the open dialogue, and for what the bot writes or could not write there. */
import { suggestReply } from '../../desk/contract.ts';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import type { Undoable } from '../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../ui/query.ts';
import { changeDraft } from '../../ui/undo.ts';
import { answerAgain } from '../answerContract.ts';
import { viewDialogue } from '../contract.ts';
import { retryHandOver, summarizeDialogue } from '../handOverContract.ts';
import { storeDialogue } from './applyLiveEvents.ts';
import { replyDraftView } from './chat/useComposerDraft.ts';

export function handOverTools(id: number): ToolWithHandler[] {
  const params = { id };
  const refresh = () => queryClient.invalidateQueries({ queryKey: keyOf(viewDialogue, { params }) });
  return [
    suggestReplyTool(id, {
      typed: () => replyDraftView(id).current?.value.text ?? '',
      insert: (next, result) => changeDraft(replyDraftView(id), next, result),
    }),
    pageTool({
      name: 'summarize_dialogue',
      description: t(
        'Has a model summarize the dialogue, and keeps the summary with its newest hand-over, if it has one.',
      ),
      input: NO_ARGUMENTS,
      confirm: true,
      irreversible: t('The call of the model is paid.'),
      run: async () => {
        const { summary } = await call(summarizeDialogue, { params });
        await refresh();
        return { lines: summary.lines, quotes: summary.quotes };
      },
    }),
    pageTool({
      name: 'retry_hand_over',
      description: t(
        'Tries the failed note and task of the newest hand-over in the CRM again, and its failed summary.',
      ),
      input: NO_ARGUMENTS,
      confirm: true,
      irreversible: t('A note and a task in the CRM are not taken back.'),
      run: async () => {
        const { summary_state, crm_state } = await call(retryHandOver, { params });
        await refresh();
        return { summary: summary_state, crm: crm_state };
      },
    }),
    pageTool({
      name: 'retry_answer',
      description: t('Has the bot answer again after it could not.'),
      input: NO_ARGUMENTS,
      confirm: true,
      irreversible: t('A sent message cannot be taken back.'),
      run: async () => {
        storeDialogue(await call(answerAgain, { params }));
        return { status: 'the bot is asked again' };
      },
    }),
  ];
}

interface Writing {
  /** Returns what is typed already. */
  readonly typed: () => string;
  /** Puts a text in its place, with the run that has suggested it. */
  readonly insert: (next: { readonly text: string; readonly runId: number | null }, result: object) => Undoable;
}

/** Return the tool that has the bot draft a reply for whatever the operator writes in. */
export const suggestReplyTool = (id: number, { typed, insert }: Writing): ToolWithHandler =>
  pageTool({
    name: 'suggest_reply',
    description: t('Has the bot of the product draft a reply and puts it into the composer. Does not send it.'),
    input: NO_ARGUMENTS,
    confirm: true,
    run: async () => {
      const { text, run_id: runId } = await call(suggestReply, { params: { id } });
      const next = { text: appendSuggestion(typed(), text), runId };
      return insert(next, { status: 'in the composer, not sent', text });
    },
  });

/** A suggested reply follows what is typed already. */
export const appendSuggestion = (typed: string, suggested: string): string =>
  typed.trim() === '' ? suggested : `${typed}\n\n${suggested}`;
