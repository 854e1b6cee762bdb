/** Buttons beside a prepared message select: write a new message or edit the chosen one, in place. */
import { Button, Group } from '@mantine/core';
import { IconMessagePlus } from '@tabler/icons-react';
import { useState } from 'react';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { toast } from '../../../ui/toast.ts';
import { type PreparedMessage, preparedMessages } from '../../contract.ts';
import { PreparedDialog } from '../PreparedDialog.tsx';

interface PreparedButtonsProps {
  productId: number;
  type: PreparedMessage['type'];
  /** Id of the chosen message; null: none. */
  chosen: number | null;
  /** Name of a new message, if there is an obvious one. */
  name?: string;
  /** Selects the saved message. */
  onChoose: (id: number) => void;
}

export function PreparedButtons({ productId, type, chosen, name, onChoose }: PreparedButtonsProps) {
  const [open, setOpen] = useState<{ message: PreparedMessage | null } | null>(null);
  const edit = async (id: number) => {
    try {
      setOpen({ message: await call(preparedMessages.get, { params: { id } }) });
    } catch {
      toast.error(t('Failed to load prepared messages'));
    }
  };
  return (
    <Group gap="xs" mt="xs">
      <Button size="compact-xs" variant="default" onClick={() => setOpen({ message: null })}>
        {t('New message')}
      </Button>
      {chosen !== null && (
        <Button size="compact-xs" variant="default" onClick={() => void edit(chosen)}>
          {t('Edit message')}
        </Button>
      )}
      {open && (
        <PreparedDialog
          productId={productId}
          type={type}
          message={open.message}
          {...(name !== undefined && open.message === null ? { name } : {})}
          onSaved={(now) => onChoose(now.id)}
          onClose={() => setOpen(null)}
        />
      )}
    </Group>
  );
}

interface PreparedButtonProps extends Omit<PreparedButtonsProps, 'chosen'> {
  label: string;
  size: 'xs' | 'sm';
}

/** A button that writes a new message. */
export function NewPreparedButton({ productId, type, name, label, size, onChoose }: PreparedButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size={size} variant="default" leftSection={<IconMessagePlus size="1rem" />} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && (
        <PreparedDialog
          productId={productId}
          type={type}
          message={null}
          {...(name === undefined ? {} : { name })}
          onSaved={(now) => onChoose(now.id)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
