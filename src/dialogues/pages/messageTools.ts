/** What the assistant may do with messages by their ids. */
import { z } from 'zod';
import { call } from '../../kit/api.ts';
import { pageTool, type ToolOfPage } from '../../kit/pageTool.ts';
import { keyOf, queryClient } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { plainId } from '../../platform/contract.ts';
import { markSent, messages, retryMessage, sendNow } from '../contract.ts';
import { runsOfMessage } from '../runsContract.ts';

const ONE = z.strictObject({ id: plainId });

const sent = () => t('What is sent cannot be taken back.');

async function act(endpoint: typeof retryMessage, id: number): Promise<{ status: string }> {
  const { status } = await call(endpoint, { params: { id } });
  await queryClient.invalidateQueries({ queryKey: keyOf(messages.list) });
  return { status };
}

export function messageTools(): ToolOfPage[] {
  return [
    pageTool({
      name: 'runs_of_message',
      description: t('The model runs behind a message: vendor, model, time, tokens, prompt version.'),
      input: ONE,
      run: async ({ id }) => (await call(runsOfMessage, { params: { id } })).items,
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
