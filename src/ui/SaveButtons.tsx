/** The buttons of a settings page: back to what is saved, take it away, save. */
import { Button } from '@mantine/core';
import { IconDeviceFloppy, IconRestore, IconTrash, IconX } from '@tabler/icons-react';
import { t } from './i18n.ts';

interface SaveButtonsProps {
  /** The words of the button that saves. */
  label: string;
  /** Whether anything differs from what is saved. */
  changed: boolean;
  /** Whether it can be saved although nothing was changed: there is nothing saved so far. */
  isNew?: boolean;
  saving: boolean;
  onSave: () => unknown;
  onReset: () => void;
  /** Leaves without having made anything, in the place of Reset. */
  cancels?: boolean;
  removal?: { label: string; onRemove: () => void } | null;
}

export function SaveButtons(props: SaveButtonsProps) {
  const { label, changed, isNew = false, saving, onSave, onReset, cancels = false, removal = null } = props;
  return (
    <>
      {/* Apart from Save and quiet: its dialog says, in red, what goes. */}
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
