/** The dialog of a bulk action on leads: count the effects first, then apply the action to exactly those leads. */
import { Button, Group, Modal, Progress, Select, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { namesKey } from '../../ui/optionSource.ts';
import { keyOf } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { BULK_SIZE, type BulkAction, type BulkCount, countBulk, runBulk } from '../bulkContract.ts';
import { botStoppedStages, leadEvents, leads, type Stage, stages } from '../contract.ts';
import { stageLabel, stageOptions } from './shared/stage.tsx';

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
            {...(action.kind === 'change_stage' ? {} : { 'data-autofocus': true })}
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
    queryKey: ['bulk', remaining, action.kind, action.kind === 'change_stage' ? action.new_stage : null],
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
      for (const endpoint of [leads.list, leads.get, leadEvents])
        void cache.invalidateQueries({ queryKey: keyOf(endpoint) });
      void cache.invalidateQueries({ queryKey: namesKey(leads) });
    },
  });
  const stop = () => {
    stopped.current = true;
  };
  return { remaining, count, running, stop };
}

interface StageFieldsProps {
  action: Extract<BulkAction, { kind: 'change_stage' }>;
  isDisabled: boolean;
  onChange: (action: BulkAction) => void;
}

function StageFields({ action, isDisabled, onChange }: StageFieldsProps) {
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

const leadCount = (count: number): string =>
  t('{{count, number}} leads', { count, defaultValue_one: '{{count}} lead' });

const parseStage = (value: string | null): Stage | undefined => stages.find((stage) => stage === value);

function dialogTitle(action: BulkAction): string {
  if (action.kind === 'delete') return t('Delete');
  return action.kind === 'deactivate' ? t('Deactivate') : t('Change stage');
}

function submitLabel(action: BulkAction, affected: number | undefined): string {
  if (affected === undefined) return dialogTitle(action);
  const what = leadCount(affected);
  if (action.kind === 'delete') return t('Delete {{what}}', { what });
  return action.kind === 'deactivate' ? t('Deactivate {{what}}', { what }) : t('Move {{what}}', { what });
}

function doneText(action: BulkAction, affected: number): string {
  const what = leadCount(affected);
  if (action.kind === 'delete') return t('Deleted {{what}}', { what });
  return action.kind === 'deactivate'
    ? t('Deactivated {{what}}', { what })
    : t('Moved {{what}} to {{stage}}', { what, stage: stageLabel(action.new_stage) });
}

/** Describe the effects of the action in sentences, with counts. */
function describeConsequences(action: BulkAction, count: BulkCount): string {
  if (action.kind === 'delete') {
    return t('This also deletes {{contacts}}, {{dialogues}} and {{messages}}.', {
      contacts: t('{{count, number}} contacts', { count: count.contacts, defaultValue_one: '1 contact' }),
      dialogues: t('{{count, number}} dialogues', { count: count.dialogues, defaultValue_one: '1 dialogue' }),
      messages: t('{{count, number}} messages', { count: count.messages, defaultValue_one: '1 message' }),
    });
  }
  const numbers = { affected: formatNumber(count.affected), count: count.leads };
  const same = { count: count.leads - count.affected };
  const [effect, unchanged] =
    action.kind === 'deactivate'
      ? [
          t('The bot stops writing to {{affected}} of {{count, number}} leads.', {
            ...numbers,
            defaultValue_one: 'The bot stops writing to {{affected}} of 1 lead.',
          }),
          t('{{count, number}} are already inactive.', { ...same, defaultValue_one: 'One is already inactive.' }),
        ]
      : [
          t('{{affected}} of {{count, number}} leads move to {{stage}}.', {
            ...numbers,
            defaultValue_one: '{{affected}} of 1 lead moves to {{stage}}.',
            stage: stageLabel(action.new_stage),
          }),
          t('{{count, number}} are already there.', { ...same, defaultValue_one: 'One is already there.' }),
        ];
  const stopsBot = action.kind === 'deactivate' || botStoppedStages.includes(action.new_stage);
  const cancelled = t('{{count, number}} scheduled bot messages are cancelled.', {
    count: count.waiting,
    defaultValue_one: 'One scheduled bot message is cancelled.',
  });
  return [effect, ...(same.count > 0 ? [unchanged] : []), ...(stopsBot && count.waiting > 0 ? [cancelled] : [])].join(
    ' ',
  );
}
