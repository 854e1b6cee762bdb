/** The dialog that saves a view, or renames, shares and deletes one. */
import { Button, Group, Modal, Stack, Switch, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { toast } from '../../../ui/toast.ts';
import type { SavedView } from '../../viewContract.ts';
import { rememberView } from './openedView.ts';
import { createView, removeView, restoreView, updateView } from './viewActions.ts';

interface ViewDialogProps {
  companyId: number;
  list: string;
  params: Readonly<Record<string, string>>;
  /** Null: a new view. */
  view: SavedView | null;
  onClose: () => void;
}

export default function ViewDialog({ companyId, list, params, view, onClose }: ViewDialogProps) {
  const [opened, setOpened] = useState(true);
  const [name, setName] = useState(view?.name ?? '');
  const [shared, setShared] = useState(view?.shared ?? false);
  const done = (text: string) => () => {
    toast.success(text);
    setOpened(false);
  };
  const saving = useMutation({
    mutationFn: () =>
      view ? updateView(view, { name, shared }) : createView({ companyId, page: list, name, params, shared }),
    onSuccess: (saved) => {
      rememberView(list, saved);
      done(t('Saved the view {{name}}', { name }))();
    },
  });
  const removing = useMutation({
    mutationFn: async (one: SavedView) => removeView(one),
    onSuccess: (_nothing, removed) => {
      setOpened(false);
      toast.undoable(t('Deleted the view {{name}}', { name: removed.name }), () => restoreView(removed, companyId));
    },
  });
  const isBusy = saving.isPending || removing.isPending;
  const error = saving.error ?? removing.error;
  return (
    <Modal
      opened={opened}
      onClose={() => setOpened(false)}
      onExitTransitionEnd={onClose}
      title={view ? t('Change view') : t('Save view')}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '' && !isBusy) saving.mutate();
        }}
      >
        <Stack gap="md">
          <TextInput
            label={t('Name')}
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <Switch
            label={t('Share with the company')}
            description={t('All its members see the view. Only you and admins change it.')}
            checked={shared}
            onChange={(event) => setShared(event.currentTarget.checked)}
          />
          {error && <Failure error={error} />}
          <Group justify="flex-end">
            {view && (
              <Button
                variant="light"
                color="red"
                mr="auto"
                loading={removing.isPending}
                disabled={saving.isPending}
                onClick={() => removing.mutate(view)}
              >
                {t('Delete')}
              </Button>
            )}
            <Button variant="default" onClick={() => setOpened(false)} disabled={isBusy}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={saving.isPending} disabled={name.trim() === '' || removing.isPending}>
              {t('Save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
