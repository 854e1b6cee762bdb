/** What the assistant may do with messages by their ids. */
import { z } from 'zod';
import { call } from '../../kit/api.ts';
import { rowsTold } from '../../kit/listTools.ts';
import { pageTool, type ToolOfPage } from '../../kit/pageTool.ts';
import { keyOf, queryClient } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { plainId } from '../../platform/contract.ts';
import { markSent, messages, retryMessage, sendNow } from '../contract.ts';
import { runsOfMessage } from '../runsContract.ts';
import { putMessage } from './chat/thread.ts';
import { tellThread } from './chat/threadQuery.ts';

const ONE = z.strictObject({ id: plainId });

const sent = () => t('What is sent cannot be taken back.');

async function act(endpoint: typeof retryMessage, id: number): Promise<{ status: string }> {
  const changed = await call(endpoint, { params: { id } });
  tellThread(changed.dialogue_id, (thread) => putMessage(thread, changed));
  await queryClient.invalidateQueries({ queryKey: keyOf(messages.list) });
  return { status: changed.status };
}

export function messageTools(): ToolOfPage[] {
  return [
    pageTool({
      name: 'runs_of_message',
      description: t('The model runs behind a message: vendor, model, time, tokens, prompt version.'),
      input: ONE,
      run: async ({ id }) => rowsTold((await call(runsOfMessage, { params: { id } })).items),
    }),
    pageTool({
      name: 'retry_message',
      description: t('Sends a failed or unconfirmed message again.'),
      input: ONE,
      confirm: true,
      irreversible: sent(),
      run: ({ id }) => act(retryMessage, id),
    }),
    pageTool({
      name: 'send_message_now',
      description: t('Sends a scheduled message at once.'),
      input: ONE,
      confirm: true,
      irreversible: sent(),
      run: ({ id }) => act(sendNow, id),
    }),
    pageTool({
      name: 'mark_message_sent',
      description: t('Settles an unconfirmed message as sent.'),
      input: ONE,
      confirm: true,
      irreversible: t('It is not tried again, and does not become unconfirmed again.'),
      run: ({ id }) => act(markSent, id),
    }),
  ];
}

/** Where what waits is in view. */
export function cancelTool(): ToolOfPage {
  return pageTool({
    name: 'cancel_message',
    description: t(
      'Cancels a scheduled message by its id. For a follow-up skip_follow_ups is better: the plan makes it anew.',
    ),
    input: ONE,
    confirm: true,
    irreversible: t('A cancelled message is not scheduled again by itself.'),
    run: async ({ id }) => {
      const params = { id };
      const waiting = await call(messages.get, { params });
      if (waiting.status !== 'scheduled') throw new Error(t('This message does not wait to be sent.'));
      await call(messages.remove, { params });
      tellThread(waiting.dialogue_id, (thread) => putMessage(thread, { ...waiting, status: 'cancelled' }));
      return { status: 'cancelled' };
    },
  });
}
