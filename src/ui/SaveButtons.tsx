/** The buttons of a settings page: delete, reset and save. */
import { Button } from '@mantine/core';
import { IconDeviceFloppy, IconRestore, IconTrash, IconX } from '@tabler/icons-react';
import { t } from './i18n.ts';

interface SaveButtonsProps {
  /** Label of the save button. */
  label: string;
  /** Whether anything differs from what is saved. */
  changed: boolean;
  /** Nothing is saved yet, so saving without changes is allowed. */
  isNew?: boolean;
  saving: boolean;
  onSave: () => unknown;
  onReset: () => void;
  /** Shows Cancel instead of Reset: leaves the page without creating anything. */
  cancels?: boolean;
  removal?: { label: string; onRemove: () => void } | null;
}

export function SaveButtons(props: SaveButtonsProps) {
  const { label, changed, isNew = false, saving, onSave, onReset, cancels = false, removal = null } = props;
  return (
    <>
      {/* Set apart from Save and not red. The confirmation dialog states in red what is deleted. */}
      {removal && (
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          mr="xl"
          leftSection={<IconTrash size="1rem" />}
          disabled={saving}
          onClick={removal.onRemove}
        >
          {removal.label}
        </Button>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={cancels ? <IconX size="1rem" /> : <IconRestore size="1rem" />}
        disabled={(!changed && !cancels) || saving}
        onClick={onReset}
      >
        {cancels ? t('Cancel') : t('Reset')}
      </Button>
      <Button
        size="xs"
        leftSection={<IconDeviceFloppy size="1rem" />}
        disabled={!changed && !isNew}
        loading={saving}
        onClick={() => void onSave()}
      >
        {label}
      </Button>
    </>
  );
}
