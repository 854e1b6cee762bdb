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
  /** Initial values of the controls. Later changes are ignored. */
  initial: FormValues;
  /**
   * Reads the current values of a row that others may change too. Called right before sending, so that only the fields
   * changed in this form are overwritten.
   */
  reload?: () => Promise<FormValues>;
  submitLabel?: string;
  /** Content below the controls, built from their current values. */
  footer?: (values: FormValues) => ReactNode;
  send: (body: Record<string, unknown>) => Promise<A>;
  onDone: (answer: A) => void;
  /** Called after the dialog has closed, whether it was saved or not. */
  onClose: () => void;
  /**
   * Key under which unsaved input is stored: `lead/7`. Without a key, or when the form has a password field, nothing is
   * stored.
   */
  draftKey?: string | undefined;
}

/** A dialog with a generic form. Mount it to open it. */
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
