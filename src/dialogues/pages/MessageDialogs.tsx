/** Writing a message from the list of messages, and changing one that has not left yet. */
import { useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { call } from '../../kit/api.ts';
import { FormDialog } from '../../kit/FormDialog.tsx';
import { type Field, valuesOf } from '../../kit/form.ts';
import { keyOf } from '../../kit/query.ts';
import { sourceOf } from '../../kit/source.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { dialogues, editMessage, type Message, messages } from '../contract.ts';

/** What the form of a new message holds; the contact follows from the dialogue. */
const draft = z.looseObject({ dialogue_id: z.int() });

export function NewMessageDialog({ productId, onClose }: { productId: number; onClose: () => void }) {
  const refresh = useRefresh();
  const fields = newMessageFields(productId);
  const send = async (body: Record<string, unknown>) => {
    const { dialogue_id } = draft.parse(body);
    const dialogue = await call(dialogues.get, { params: { id: dialogue_id } });
    const payload = { ...body, product_id: dialogue.product_id, contact_id: dialogue.contact_id };
    return call(messages.create, { body: messages.create.body.parse(payload) });
  };
  return (
    <FormDialog
      title={t('New {{noun}}', { noun: t(messages.noun) })}
      fields={fields}
      initial={valuesOf(fields, null, {
        delay_enabled: true,
        schedule_enabled: true,
        split: true,
        debounce_guard: true,
      })}
      submitLabel={t('Send')}
      send={send}
      onDone={({ messages: stored }) => {
        toast.success(
          t('{{count}} messages are on their way', {
            count: stored.length,
            defaultValue_one: 'The message is on its way',
          }),
        );
        refresh();
      }}
      onClose={onClose}
      place={`message/new/${productId}`}
    />
  );
}

export function EditMessageDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const refresh = useRefresh();
  const fields: Field[] = [{ kind: 'textarea', name: 'message', label: t('Message'), required: true }];
  return (
    <FormDialog
      title={t('Edit {{noun}}', { noun: t(messages.noun) })}
      fields={fields}
      initial={valuesOf(fields, message)}
      send={(body) => call(editMessage, { params: { id: message.id }, body: editMessage.body.parse(body) })}
      onDone={() => {
        toast.success(t('Message saved'));
        refresh();
      }}
      onClose={onClose}
      place={`message/${message.id}`}
    />
  );
}

function useRefresh(): () => void {
  const cache = useQueryClient();
  return () => void cache.invalidateQueries({ queryKey: keyOf(messages.list) });
}

function newMessageFields(productId: number): Field[] {
  const source = sourceOf(
    dialogues,
    (dialogue) => t('{{name}} · {{contact}}', { name: dialogue.lead_name, contact: dialogue.contact }),
    { product_id: [productId] },
  );
  return [
    {
      kind: 'select',
      name: 'dialogue_id',
      label: t('Dialogue'),
      source,
      required: true,
      description: t('Writing by hand hands the dialogue over to you.'),
    },
    { kind: 'textarea', name: 'message', label: t('Message'), required: true },
    { kind: 'boolean', name: 'schedule_enabled', label: t('Only in working hours') },
    { kind: 'boolean', name: 'delay_enabled', label: t('With the delay of the channel') },
    { kind: 'boolean', name: 'split', label: t('Split into parts at blank lines') },
    {
      kind: 'boolean',
      name: 'debounce_guard',
      label: t('Not if the lead writes first'),
    },
  ];
}
