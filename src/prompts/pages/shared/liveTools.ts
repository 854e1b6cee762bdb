/** The assistant's tools for what is live of a prompt. */
import { z } from 'zod';
import { smallCount } from '../../../platform/contract.ts';
import { call, ifMatchOf } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { Undoable } from '../../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, type ToolWithHandler } from '../../../ui/pageTool.ts';
import { queryClient } from '../../../ui/query.ts';
import { nullIfNotFound, storedUndo } from '../../../ui/undo.ts';
import {
  checkPromptVersion,
  type Prompt,
  prompts,
  publicationsOfPrompt,
  publishPrompt,
  rollBackPrompt,
  versionsOfPrompt,
} from '../../contract.ts';
import { type Publishing, refreshLive } from './usePublishing.tsx';

interface LiveToolContext {
  readonly prompt: Prompt;
  readonly publishing: Pick<Publishing, 'gate' | 'rollbackVersion'>;
  /** What publishing does beside that leads get the text, shown before the confirmation; null if nothing. */
  readonly consequence: string | null;
}

const publication = z.strictObject({
  version: smallCount.optional().describe(t('By default the version that was saved last')),
  reason: z
    .string()
    .trim()
    .min(1)
    .max(2000)
    .optional()
    .describe(t('Why it is published although its test cases fail or were not run; only the operator knows')),
});

/** Return the tools that read what is live of a prompt, publish a version and roll back. */
export function liveTools({ prompt, publishing, consequence }: LiveToolContext): ToolWithHandler[] {
  const params = { id: prompt.id };
  return [
    pageTool({
      name: 'read_live_prompt',
      description: t('Reads which version of the prompt is live, its text, and which ones were live before.'),
      input: NO_ARGUMENTS,
      run: () => readLive(prompt.id),
    }),
    publishTool({ prompt, publishing, consequence }),
    pageTool({
      name: 'roll_back_prompt',
      description:
        publishing.rollbackVersion === null
          ? t('Makes the version live that was live before this one. There is none now.')
          : t('Makes version {{version}} live again, which was live before this one.', {
              version: publishing.rollbackVersion,
            }),
      input: NO_ARGUMENTS,
      confirm: true,
      irreversible: t('To undo it, publish the version again.'),
      run: async () => {
        const now = await call(rollBackPrompt, { params, ifMatch: ifMatchOf(prompt) });
        refreshLive(queryClient, now);
        return { status: 'rolled back', live_version: now.live_version };
      },
    }),
  ];
}

function publishTool({ prompt, consequence }: LiveToolContext): ToolWithHandler {
  const params = { id: prompt.id };
  const publish = async ({ version = prompt.version, reason }: z.output<typeof publication>) => {
    if (version === prompt.live_version) throw new Error(t('Version {{version}} is live.', { version }));
    const { checks, ...now } = await call(publishPrompt, {
      params,
      body: { version, ...(reason === undefined ? {} : { override_reason: reason }) },
      ifMatch: ifMatchOf(prompt),
    });
    refreshLive(queryClient, now);
    return { now, result: { status: 'published', live_version: now.live_version, checks } };
  };
  const base = {
    name: 'publish_prompt',
    description: [t('Makes a saved version of the prompt live: it is used from the next answer on.'), consequence]
      .filter(Boolean)
      .join(' '),
    input: publication,
    confirm: true,
  } as const;
  if (prompt.live_version === null)
    return pageTool({
      ...base,
      irreversible: t('A prompt that was published stays live: another version can replace it, or it can be deleted.'),
      run: async (args) => (await publish(args)).result,
    });
  return pageTool({
    ...base,
    run: async (args) => {
      const { now, result } = await publish(args);
      const undo = storedUndo<Prompt | null>({
        after: now,
        read: () => nullIfNotFound(call(prompts.get, { params })),
        restore: async () => refreshLive(queryClient, await call(rollBackPrompt, { params, ifMatch: ifMatchOf(now) })),
      });
      return new Undoable(result, undo);
    },
  });
}

async function readLive(id: number) {
  const now = await call(prompts.get, { params: { id } });
  const { version, live_version: live, live_since: since } = now;
  const published = await call(publicationsOfPrompt, { query: { prompt_id: id, limit: 10 } });
  const texts = live === null ? null : await call(versionsOfPrompt, { query: { prompt_id: id, version: [live] } });
  const { gate, checks } = await call(checkPromptVersion, { query: { prompt_id: id, version } });
  return {
    live_version: live,
    live_since: since,
    live_text: texts?.items[0]?.text ?? null,
    saved_version: version,
    gate,
    checks_of_saved_version: checks,
    went_live: published.items,
  };
}
