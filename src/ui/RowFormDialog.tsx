/** The form of a row, or of a new one: what its fields contain follows from the row. */
import type { ComponentProps } from 'react';
import { FormDialog } from './FormDialog.tsx';
import { type FormValues, valuesOf } from './form.ts';
import type { Row } from './resource.ts';

interface RowFormDialogProps extends Omit<ComponentProps<typeof FormDialog>, 'initial' | 'reload'> {
  /** Null: a new row. */
  row: Row | null;
  /** Initial values of a new row. */
  preset: FormValues | undefined;
  /** Reads the row again, right before it is sent. */
  read?: () => Promise<Row>;
}

export default function RowFormDialog({ row, preset, read, ...dialog }: RowFormDialogProps) {
  const { fields } = dialog;
  return (
    <FormDialog
      {...dialog}
      initial={valuesOf(fields, row, preset)}
      {...(read ? { reload: async () => valuesOf(fields, await read(), preset) } : {})}
    />
  );
}
