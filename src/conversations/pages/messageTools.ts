/** Assistant tools for messages, by their ids. */
import { z } from 'zod';
import { uncheckedId } from '../../platform/contract.ts';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { rowsForAssistant } from '../../ui/listTools.ts';
import { pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../ui/query.ts';
import { markSent, messages, retryMessage, sendNow } from '../contract.ts';
import { runsOfMessage } from '../runsContract.ts';
import { upsertMessage } from './chat/thread.ts';
import { updateThread } from './chat/threadQuery.ts';

const MESSAGE_ID = z.strictObject({ id: uncheckedId });

const irreversibleNote = () => t('Sent messages cannot be taken back.');

async function runAction(endpoint: typeof retryMessage, id: number): Promise<{ status: string }> {
  const changed = await call(endpoint, { params: { id } });
  updateThread(changed.dialogue_id, (thread) => upsertMessage(thread, changed));
  await queryClient.invalidateQueries({ queryKey: keyOf(messages.list) });
  return { status: changed.status };
}

export function messageTools(): ToolWithHandler[] {
  return [
    pageTool({
      name: 'runs_of_message',
      description: t('The model runs behind a message: vendor, model, time, tokens, prompt version.'),
      input: MESSAGE_ID,
      run: async ({ id }) => rowsForAssistant((await call(runsOfMessage, { params: { id } })).items),
    }),
    pageTool({
      name: 'retry_message',
      description: t('Sends a failed or unconfirmed message again.'),
      input: MESSAGE_ID,
      confirm: true,
      irreversible: irreversibleNote(),
      run: ({ id }) => runAction(retryMessage, id),
    }),
    pageTool({
      name: 'send_message_now',
      description: t('Sends a scheduled message at once.'),
      input: MESSAGE_ID,
      confirm: true,
      irreversible: irreversibleNote(),
      run: ({ id }) => runAction(sendNow, id),
    }),
    pageTool({
      name: 'mark_message_sent',
      description: t('Marks an unconfirmed message as sent.'),
      input: MESSAGE_ID,
      confirm: true,
      irreversible: t('It is not retried, and does not become unconfirmed again.'),
      run: ({ id }) => runAction(markSent, id),
    }),
  ];
}

/** Return the tool that cancels a message, for pages where scheduled messages are in view. */
export function cancelTool(): ToolWithHandler {
  return pageTool({
    name: 'cancel_message',
    description: t(
      'Cancels a scheduled message by its id. For a follow-up, use skip_follow_ups instead: a cancelled one is planned again.',
    ),
    input: MESSAGE_ID,
    confirm: true,
    irreversible: t('A cancelled message is not scheduled again automatically.'),
    run: async ({ id }) => {
      const params = { id };
      const scheduled = await call(messages.get, { params });
      if (scheduled.status !== 'scheduled') throw new Error(t('This message is not waiting to be sent.'));
      await call(messages.remove, { params });
      updateThread(scheduled.dialogue_id, (thread) => upsertMessage(thread, { ...scheduled, status: 'cancelled' }));
      return { status: 'cancelled' };
    },
  });
}
