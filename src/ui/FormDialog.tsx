import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Failure } from './Failure.tsx';
import { FORM_END, FormFields } from './FormFields.tsx';
import { bodyOf, type Field, type FormValues, rebaseChanges } from './form.ts';
import { t } from './i18n.ts';
import { usePersistedForm } from './usePersistedForm.tsx';
import { useSubmit } from './useSubmit.ts';

interface FormDialogProps<A> {
  title: string;
  fields: readonly Field[];
  /** What the controls begin with; later changes are ignored. */
  initial: FormValues;
  /**
   * Of a row that others change too: what the controls would begin with now. Read right before it is sent, so that
   * only what was changed here is changed there.
   */
  reload?: () => Promise<FormValues>;
  submitLabel?: string;
  /** What follows the controls, for what they hold. */
  footer?: (values: FormValues) => ReactNode;
  send: (body: Record<string, unknown>) => Promise<A>;
  onDone: (answer: A) => void;
  /** After the dialog is gone, saved or not. */
  onClose: () => void;
  /** Where what is typed is kept until it is saved or discarded: `lead/7`. Without it, or with a password, it is not. */
  draftKey?: string | undefined;
}

/** The generic form dialog. Mount it to open it. */
export function FormDialog<A>(props: FormDialogProps<A>) {
  const { title, fields, submitLabel = t('Save'), footer, reload, send, onDone, onClose } = props;
  const [initial] = useState(props.initial);
  const [opened, setOpened] = useState(true);
  const { form, guard, notice } = usePersistedForm({ draftKey: props.draftKey ?? null, what: title, fields, initial });
  const sendChanges = async (body: Record<string, unknown>) => {
    if (!reload) return send(body);
    return send(bodyOf(fields, rebaseChanges(fields, { before: initial, now: form.values }, await reload())));
  };
  const sending = useSubmit(form, sendChanges, (answer) => {
    guard.release();
    setOpened(false);
    onDone(answer);
  });
  const close = () => {
    if (!sending.pending) guard.ask(() => setOpened(false));
  };
  return (
    <Modal.Stack>
      <Modal
        stackId="form"
        opened={opened}
        onClose={close}
        onExitTransitionEnd={onClose}
        title={title}
        size="var(--rapport-form)"
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            sending.submit();
          }}
        >
          <Stack gap="md">
            {notice}
            <FormFields form={form} />
            {footer?.(form.values)}
            {sending.error && <Failure error={sending.error} />}
            <Group justify="flex-end" {...FORM_END}>
              <Button variant="default" onClick={close}>
                {t('Cancel')}
              </Button>
              <Button type="submit" loading={sending.pending}>
                {submitLabel}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
      {guard.question}
    </Modal.Stack>
  );
}
