import { useQueryClient } from '@tanstack/react-query';
import { prompts } from '../../prompts/contract.ts';
import { liveTools } from '../../prompts/pages/shared/liveTools.ts';
import { promptTools, promptView } from '../../prompts/pages/shared/promptTools.ts';
import { usePublishConsequence } from '../../prompts/pages/shared/runningExperiment.ts';
import { call } from '../../ui/api.ts';
import { MINIMAL_EDITS_PROMPT } from '../../ui/editTextTool.ts';
import { t } from '../../ui/i18n.ts';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { pageTools } from '../../ui/pageTool.ts';
import { keyOf } from '../../ui/query.ts';
import { useViewRef } from '../../ui/undo.ts';
import type { ChatColumnState } from './chatColumn.ts';
import type { ImportedConversationData } from './ImportedConversation.tsx';
import { askTool, choosePromptTool } from './playgroundTools.ts';
import type { useChosenPrompt, usePromptDraft } from './usePromptDraft.ts';

interface PlaygroundState {
  chosen: ReturnType<typeof useChosenPrompt>;
  edited: ReturnType<typeof usePromptDraft>;
  columns: readonly ChatColumnState[];
  ready: boolean;
  talk: ImportedConversationData | null;
  ask: (content: string) => void;
}

/** Publish the playground to the assistant. */
export function usePlaygroundContext({ chosen, edited, columns, ready, talk, ask }: PlaygroundState): void {
  const { setParams } = usePage();
  const cache = useQueryClient();
  const { prompt } = chosen;
  const { stored, text, unsaved, publishing, uses } = edited;
  const { consequence } = usePublishConsequence(uses, prompt);
  const view = promptView(chosen.promptId ?? 0);
  useViewRef(view, {
    value: text,
    set: edited.setText,
    changed: unsaved,
    onSaved: edited.setStored,
    onDeleted: () => setParams({ promptId: undefined }),
  });
  usePageContext({
    description: t('The playground: a prompt in its editor, and models that answer with it, saved or not.'),
    summary: JSON.stringify({
      prompt: prompt && {
        id: prompt.id,
        name: prompt.name,
        version: prompt.version,
        live_version: prompt.live_version,
        live_since: prompt.live_since,
      },
      saving_keeps_a_draft: publishing.savesDraft,
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
            savesDraft: publishing.savesDraft,
            replacing: edited.replacing,
            save: () => edited.saving.mutateAsync(stored),
          })
        : []),
      ...(prompt ? liveTools({ prompt, publishing, consequence }) : []),
      choosePromptTool(async (id) => {
        if (unsaved) throw new Error(t('The text in the editor is not saved yet.'));
        const params = { id };
        // Load the prompt before the page opens it, so that the assistant can edit it in the same turn.
        await cache.fetchQuery({
          queryKey: keyOf(prompts.get, { params }),
          queryFn: () => call(prompts.get, { params }),
        });
        setParams({ promptId: id });
      }),
      askTool((content) => {
        if (!ready) throw new Error(t('The models are not connected, or still answer.'));
        ask(content);
      }),
    ),
  });
}
