/** The dialog of a bulk action on leads: count the effects first, then apply the action to exactly those leads. */
import { Button, Group, Modal, Progress, Select, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { namesKey } from '../../ui/optionSource.ts';
import { keyOf } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { BULK_SIZE, type BulkAction, countBulk, runBulk } from '../bulkContract.ts';
import { leadEvents, leads, type Stage, stages } from '../contract.ts';
import { leadFacets } from '../listContract.ts';
import { describeConsequences, dialogTitle, doneText, leadCount, submitLabel } from './bulkTexts.ts';
import { useOwnerOptions } from './shared/ownerOptions.ts';
import { stageOptions } from './shared/stage.tsx';
import { TagsField } from './shared/TagsField.tsx';

interface BulkDialogProps {
  ids: readonly number[];
  action: BulkAction;
  onChange: (action: BulkAction) => void;
  /** Called with the remaining ids after some leads were deleted. */
  onDeleted: (remaining: readonly number[]) => void;
  onClose: () => void;
}

export default function BulkDialog({ ids: chosen, action, onChange, onDeleted, onClose }: BulkDialogProps) {
  const [opened, setOpened] = useState(true);
  // The selection when the dialog was opened; while it runs, deleted leads leave the current selection.
  const [ids] = useState(chosen);
  const { remaining, count, running, stop } = useBulk(ids, action, { onDeleted, onDone: () => setOpened(false) });
  const isRunning = running.isPending;
  const close = () => (isRunning ? stop() : setOpened(false));
  const error = running.error ?? count.error;
  return (
    <Modal
      opened={opened}
      onClose={close}
      onExitTransitionEnd={onClose}
      title={dialogTitle(action)}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        {action.kind === 'delete' && (
          <Text size="sm">
            {t('Are you sure you want to delete {{what}}? This action cannot be undone.', {
              what: leadCount(ids.length),
            })}
          </Text>
        )}
        {action.kind === 'change_stage' && <StageFields action={action} isDisabled={isRunning} onChange={onChange} />}
        {action.kind === 'change_tags' && <TagFields action={action} isDisabled={isRunning} onChange={onChange} />}
        {action.kind === 'set_owner' && <OwnerField action={action} isDisabled={isRunning} onChange={onChange} />}
        <Text size="sm" mih="2lh" role="status">
          {count.data ? describeConsequences(action, count.data) : count.isPending && t('Counting…')}
        </Text>
        {isRunning && (
          <Progress value={((ids.length - remaining.length) / ids.length) * 100} aria-label={t('Progress')} />
        )}
        {error && <Failure error={error} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={close}
            {...(action.kind === 'deactivate' || action.kind === 'delete' ? { 'data-autofocus': true } : {})}
          >
            {isRunning ? t('Stop') : t('Cancel')}
          </Button>
          <Button
            color={action.kind === 'delete' ? 'red' : 'accent'}
            loading={isRunning}
            disabled={!count.data || count.data.affected === 0}
            onClick={() => running.mutate()}
          >
            {submitLabel(action, count.data?.affected)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface BulkEvents {
  onDeleted: (remaining: readonly number[]) => void;
  onDone: () => void;
}

/** Counts the effects of an action on leads, and applies it in parts until it is done or stopped. */
function useBulk(ids: readonly number[], action: BulkAction, { onDeleted, onDone }: BulkEvents) {
  const [remaining, setRemaining] = useState(ids);
  const stopped = useRef(false);
  const cache = useQueryClient();
  // The count does not depend on `update_in_crm`.
  const count = useQuery({
    queryKey: ['bulk', remaining, action.kind === 'change_stage' ? action.new_stage : action],
    queryFn: () => call(countBulk, { body: { ids: [...remaining], action } }),
    gcTime: 0,
    staleTime: 0,
  });
  const running = useMutation({
    mutationFn: async () => {
      stopped.current = false;
      let affected = 0;
      let pendingIds = remaining;
      while (pendingIds.length > 0 && !stopped.current) {
        const done = await call(runBulk, { body: { ids: pendingIds.slice(0, BULK_SIZE), action } });
        affected += done.affected;
        pendingIds = pendingIds.slice(BULK_SIZE);
        setRemaining(pendingIds);
        if (action.kind === 'delete') onDeleted(pendingIds);
      }
      return affected;
    },
    onSuccess: (affected) => {
      toast.success(doneText(action, affected));
      onDone();
    },
    onSettled: () => {
      for (const endpoint of [leads.list, leads.get, leadEvents, leadFacets])
        void cache.invalidateQueries({ queryKey: keyOf(endpoint) });
      void cache.invalidateQueries({ queryKey: namesKey(leads) });
    },
  });
  const stop = () => {
    stopped.current = true;
  };
  return { remaining, count, running, stop };
}

function StageFields({ action, isDisabled, onChange }: FieldsProps<'change_stage'>) {
  return (
    <>
      <Select
        label={t('Stage')}
        data={stageOptions()}
        value={action.new_stage}
        allowDeselect={false}
        disabled={isDisabled}
        onChange={(value) => onChange({ ...action, new_stage: parseStage(value) ?? action.new_stage })}
        data-autofocus
      />
      <Switch
        label={t('Update in CRM')}
        checked={action.update_in_crm}
        disabled={isDisabled}
        onChange={(event) => onChange({ ...action, update_in_crm: event.currentTarget.checked })}
      />
    </>
  );
}

interface FieldsProps<Kind extends BulkAction['kind']> {
  action: Extract<BulkAction, { kind: Kind }>;
  isDisabled: boolean;
  onChange: (action: BulkAction) => void;
}

function TagFields({ action, isDisabled, onChange }: FieldsProps<'change_tags'>) {
  return (
    <>
      <TagsField
        label={t('Add tags')}
        value={action.add}
        disabled={isDisabled}
        onChange={(add) => onChange({ ...action, add: [...add] })}
        data-autofocus
      />
      <TagsField
        label={t('Remove tags')}
        placeholder={t('Choose a tag')}
        value={action.remove}
        disabled={isDisabled}
        onChange={(remove) => onChange({ ...action, remove: [...remove] })}
      />
    </>
  );
}

function OwnerField({ action, isDisabled, onChange }: FieldsProps<'set_owner'>) {
  return (
    <Select
      label={t('Owner')}
      data={useOwnerOptions()}
      value={action.owner_id === null ? null : String(action.owner_id)}
      placeholder={t('No owner')}
      searchable
      clearable
      disabled={isDisabled}
      onChange={(id) => onChange({ ...action, owner_id: id === null ? null : Number(id) })}
      data-autofocus
    />
  );
}

const parseStage = (value: string | null): Stage | undefined => stages.find((stage) => stage === value);
