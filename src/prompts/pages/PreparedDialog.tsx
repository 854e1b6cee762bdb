/** Dialog for writing or editing a prepared message without leaving the page. */
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../ui/api.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { type Field, valuesOf } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { namesKey } from '../../ui/optionSource.ts';
import { keyOf, setCachedAnswer } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { type PreparedMessage, preparedMessages } from '../contract.ts';
import { TEMPLATE_VARIABLES } from '../templateContract.ts';
import { LeadPreviews } from './shared/LeadPreviews.tsx';

interface PreparedDialogProps {
  productId: number;
  type: PreparedMessage['type'];
  /** Null: a new message. */
  message: PreparedMessage | null;
  /** Name of a new message, if it need not be thought of: its text comes first then. */
  name?: string;
  onSaved: (message: PreparedMessage) => void;
  onClose: () => void;
}

export function PreparedDialog({ productId, type, message, name, onSaved, onClose }: PreparedDialogProps) {
  const cache = useQueryClient();
  const fields = preparedFields(name !== undefined);
  const preset = { product_id: productId, type, is_follow_up: false, ...(name === undefined ? {} : { name }) };
  const params = { id: message?.id ?? 0 };
  return (
    <FormDialog
      title={message === null ? t('New prepared message') : t('Edit {{name}}', { name: message.name })}
      fields={fields}
      initial={valuesOf(fields, message, preset)}
      {...(message === null
        ? {}
        : { reload: async () => valuesOf(fields, await call(preparedMessages.get, { params }), preset) })}
      submitLabel={message === null ? t('Create') : t('Save')}
      footer={(values) => <LeadPreviews productId={productId} text={String(values['message'] ?? '')} kind="message" />}
      send={(body) =>
        message === null
          ? call(preparedMessages.create, { body: preparedMessages.create.body.parse(body) })
          : call(preparedMessages.replace, { params, body: preparedMessages.replace.body.parse(body) })
      }
      onDone={(now) => {
        setCachedAnswer(cache, keyOf(preparedMessages.get, { params: { id: now.id } }), now);
        for (const key of [keyOf(preparedMessages.list), namesKey(preparedMessages)])
          void cache.invalidateQueries({ queryKey: key });
        toast.success(t('Saved {{name}}', { name: now.name }));
        onSaved(now);
      }}
      onClose={onClose}
    />
  );
}

function preparedFields(isNamed: boolean): Field[] {
  const name: Field = { kind: 'text', name: 'name', label: t('Name'), required: true };
  const text: Field = {
    kind: 'textarea',
    name: 'message',
    label: t('Message'),
    required: true,
    description: t('Variables: {{names}}. If one is empty for a lead, the message is not sent.', {
      names: TEMPLATE_VARIABLES.map((one) => `{{ ${one} }}`).join(', '),
    }),
  };
  return [
    { kind: 'hidden', name: 'product_id', label: t('Product') },
    { kind: 'hidden', name: 'type', label: t('Type') },
    { kind: 'hidden', name: 'is_follow_up', label: t('Follow-up') },
    ...(isNamed ? [text, name] : [name, text]),
  ];
}
