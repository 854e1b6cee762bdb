import { Button } from '@mantine/core';
import { IconCheck, IconPencil, IconPlus, IconRefresh, IconSend } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { call } from '../../ui/api.ts';
import type { Filter } from '../../ui/filter.ts';
import { t } from '../../ui/i18n.ts';
import { keyOf } from '../../ui/query.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import type { RowAction } from '../../ui/RowMenu.tsx';
import { useScope } from '../../ui/scope.ts';
import { toast } from '../../ui/toast.ts';
import { authors, type Message, markSent, messageStatuses, messages, retryMessage, sendNow } from '../contract.ts';
import { authorLabel, messageColumns } from './messageColumns.tsx';
import { messageTools } from './messageTools.ts';
import { statusLabel } from './shared/status.tsx';

const NewMessageDialog = lazy(async () => ({ default: (await import('./MessageDialogs.tsx')).NewMessageDialog }));
const EditMessageDialog = lazy(async () => ({ default: (await import('./MessageDialogs.tsx')).EditMessageDialog }));

type OpenDialog = { edit: Message } | 'new' | null;

/** All messages of the chosen product, newest first. */
export default function MessagesPage() {
  const { product } = useScope();
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null);
  const columns = useMemo(messageColumns, []);
  const runAction = useMessageAction();
  const close = () => setOpenDialog(null);
  return (
    <>
      <ResourcePage
        crud={messages}
        title={t('Messages')}
        description={t('All messages of the chosen product with their delivery. A row opens the message in its chat.')}
        columns={columns}
        filters={messageFilters()}
        fixedQuery={{ product_id: product?.id }}
        nameOf={nameOf}
        rowLink={(message) => ({
          page: 'dialogue-chat',
          params: { dialogueId: message.dialogue_id, messageId: message.id },
        })}
        removal={{
          crud: messages,
          cascadeCounts: async (message) => deletionNote(message),
          bulkCascadeCounts: async () => t('Scheduled messages are cancelled. Sent messages stay on the phones.'),
        }}
        actions={(message) => actionsOf(message, runAction, () => setOpenDialog({ edit: message }))}
        assistantFields={({ dialogue_id, message, author, operator, status, reason, created_at, scheduled_at }) => ({
          dialogue_id,
          text: message,
          from: operator ?? author,
          status,
          reason,
          created_at,
          scheduled_at,
        })}
        assistant={messageTools()}
        buttons={
          <Button size="xs" leftSection={<IconPlus size="1rem" />} onClick={() => setOpenDialog('new')}>
            {t('New {{noun}}', { noun: t(messages.resource) })}
          </Button>
        }
      />
      <Suspense>
        {openDialog === 'new' && product && <NewMessageDialog productId={product.id} onClose={close} />}
        {openDialog !== null && openDialog !== 'new' && <EditMessageDialog message={openDialog.edit} onClose={close} />}
      </Suspense>
    </>
  );
}

type RunMessageAction = (endpoint: typeof retryMessage, message: Message, successText: string) => void;

function useMessageAction(): RunMessageAction {
  const cache = useQueryClient();
  const action = useMutation({
    mutationFn: ({ endpoint, message }: { endpoint: typeof retryMessage; message: Message; successText: string }) =>
      call(endpoint, { params: { id: message.id } }),
    onSuccess: (_, { successText }) => toast.success(successText),
    onError: toast.failure,
    onSettled: () => cache.invalidateQueries({ queryKey: keyOf(messages.list) }),
  });
  return (endpoint, message, successText) => action.mutate({ endpoint, message, successText });
}

function actionsOf(message: Message, runAction: RunMessageAction, edit: () => void): RowAction[] {
  switch (message.status) {
    case 'scheduled':
      return [
        { label: t('Send now'), icon: IconSend, run: () => runAction(sendNow, message, t('Sending')) },
        { label: t('Edit'), icon: IconPencil, run: edit },
      ];
    case 'error':
      return [
        { label: t('Retry'), icon: IconRefresh, run: () => runAction(retryMessage, message, t('Sending again')) },
      ];
    case 'unconfirmed':
      return [
        { label: t('Retry'), icon: IconRefresh, run: () => runAction(retryMessage, message, t('Sending again')) },
        { label: t('Mark as sent'), icon: IconCheck, run: () => runAction(markSent, message, t('Marked as sent')) },
      ];
    default:
      return [];
  }
}

function deletionNote(message: Message): string {
  return message.status === 'scheduled'
    ? t('It will not be sent.')
    : t('It disappears here, but the lead keeps what was sent.');
}

const NAME_LENGTH = 40;

function nameOf(message: Message): string {
  const text = message.message.trim();
  return text.length > NAME_LENGTH ? `${text.slice(0, NAME_LENGTH)}…` : text;
}

function messageFilters(): Filter[] {
  return [
    {
      kind: 'options',
      name: 'status',
      label: t('Status'),
      options: messageStatuses.map((status) => ({ value: status, label: statusLabel(status) })),
    },
    {
      kind: 'options',
      name: 'author',
      label: t('From'),
      options: authors.map((author) => ({ value: author, label: authorLabel(author) })),
    },
    { kind: 'days', name: 'created', label: t('Created') },
  ];
}
