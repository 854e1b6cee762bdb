/** Bulk actions on leads: count the effects first, then apply the action to exactly those leads. */
import { Button, Group, Modal, Progress, Select, Stack, Switch, Text } from '@mantine/core';
import { IconArrowsExchange, IconTrash, IconUserOff } from '@tabler/icons-react';
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
import { stageLabel, stageOptions } from './stage.tsx';

interface Selection {
  ids: readonly number[];
  /** Set the selection that remains afterwards. */
  keepSelected: (remaining: readonly number[]) => void;
}

/** The buttons of the selection bar. */
export function BulkLeads({ chosen }: { chosen: Selection }) {
  const [action, setAction] = useState<BulkAction | null>(null);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconArrowsExchange size="1rem" />}
        onClick={() => setAction({ kind: 'change_stage', new_stage: 'pending', update_in_crm: true })}
      >
        {t('Change stage')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconUserOff size="1rem" />}
        onClick={() => setAction({ kind: 'deactivate' })}
      >
        {t('Deactivate')}
      </Button>
      <Button
        size="xs"
        variant="light"
        color="red"
        leftSection={<IconTrash size="1rem" />}
        onClick={() => setAction({ kind: 'delete' })}
      >
        {t('Delete')}
      </Button>
      {action && (
        <BulkDialog
          ids={chosen.ids}
          action={action}
          onChange={setAction}
          onDeleted={chosen.keepSelected}
          onClose={() => setAction(null)}
        />
      )}
    </>
  );
}

interface BulkDialogProps {
  ids: readonly number[];
  action: BulkAction;
  onChange: (action: BulkAction) => void;
  /** Called with the remaining ids after some leads were deleted. */
  onDeleted: (remaining: readonly number[]) => void;
  onClose: () => void;
}

function BulkDialog({ ids: chosen, action, onChange, onDeleted, onClose }: BulkDialogProps) {
  const [opened, setOpened] = useState(true);
  // The selection when the dialog was opened; while it runs, deleted leads leave the current selection.
  const [ids] = useState(chosen);
  const [remaining, setRemaining] = useState(ids);
  const stopped = useRef(false);
  const cache = useQueryClient();
  // The count does not depend on `update_in_crm`.
  const countQuery = useQuery({
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
      setOpened(false);
    },
    onSettled: () => {
      for (const endpoint of [leads.list, leads.get, leadEvents]) {
        void cache.invalidateQueries({ queryKey: keyOf(endpoint) });
      }
      void cache.invalidateQueries({ queryKey: namesKey(leads) });
    },
  });
  const close = () => {
    if (running.isPending) stopped.current = true;
    else setOpened(false);
  };
  const many = t('{{count, number}} leads', { count: ids.length, defaultValue_one: '{{count}} lead' });
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
            {t('Are you sure you want to delete {{what}}? This action cannot be undone.', { what: many })}
          </Text>
        )}
        {action.kind === 'change_stage' && (
          <>
            <Select
              label={t('Stage')}
              data={stageOptions()}
              value={action.new_stage}
              allowDeselect={false}
              disabled={running.isPending}
              onChange={(value) => onChange({ ...action, new_stage: parseStage(value) ?? action.new_stage })}
              data-autofocus
            />
            <Switch
              label={t('Update in CRM')}
              checked={action.update_in_crm}
              disabled={running.isPending}
              onChange={(event) => onChange({ ...action, update_in_crm: event.currentTarget.checked })}
            />
          </>
        )}
        <Text size="sm" mih="2lh" role="status">
          {countQuery.data ? describeConsequences(action, countQuery.data) : countQuery.isPending && t('Counting…')}
        </Text>
        {running.isPending && (
          <Progress value={((ids.length - remaining.length) / ids.length) * 100} aria-label={t('Progress')} />
        )}
        {(running.error ?? countQuery.error) && <Failure error={running.error ?? countQuery.error ?? new Error()} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={close}
            {...(action.kind === 'change_stage' ? {} : { 'data-autofocus': true })}
          >
            {running.isPending ? t('Stop') : t('Cancel')}
          </Button>
          <Button
            color={action.kind === 'delete' ? 'red' : 'accent'}
            loading={running.isPending}
            disabled={!countQuery.data || countQuery.data.affected === 0}
            onClick={() => running.mutate()}
          >
            {submitLabel(action, countQuery.data?.affected)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const parseStage = (value: string | null): Stage | undefined => stages.find((stage) => stage === value);

function dialogTitle(action: BulkAction): string {
  if (action.kind === 'delete') return t('Delete');
  return action.kind === 'deactivate' ? t('Deactivate') : t('Change stage');
}

function submitLabel(action: BulkAction, affected: number | undefined): string {
  if (affected === undefined) return dialogTitle(action);
  const what = t('{{count, number}} leads', { count: affected, defaultValue_one: '{{count}} lead' });
  if (action.kind === 'delete') return t('Delete {{what}}', { what });
  return action.kind === 'deactivate' ? t('Deactivate {{what}}', { what }) : t('Move {{what}}', { what });
}

function doneText(action: BulkAction, affected: number): string {
  const what = t('{{count, number}} leads', { count: affected, defaultValue_one: '{{count}} lead' });
  if (action.kind === 'delete') return t('Deleted {{what}}', { what });
  return action.kind === 'deactivate'
    ? t('Deactivated {{what}}', { what })
    : t('Moved {{what}} to {{stage}}', { what, stage: stageLabel(action.new_stage) });
}

/** Describe the effects of the action in sentences, with counts. */
function describeConsequences(action: BulkAction, count: BulkCount): string {
  const number = (value: number) => formatNumber(value);
  if (action.kind === 'delete') {
    return t('With them go {{contacts}} contacts, {{dialogues}} dialogues and {{messages}} messages.', {
      contacts: number(count.contacts),
      dialogues: number(count.dialogues),
      messages: number(count.messages),
    });
  }
  const same = count.leads - count.affected;
  const sentences =
    action.kind === 'deactivate'
      ? [
          t('The bot writes nothing more to {{count}} of {{all}} leads.', {
            count: number(count.affected),
            all: number(count.leads),
          }),
          ...(same > 0
            ? [
                t('{{count, number}} are inactive already.', {
                  count: same,
                  defaultValue_one: 'One is inactive already.',
                }),
              ]
            : []),
        ]
      : [
          t('{{count}} of {{all}} leads move to {{stage}}.', {
            count: number(count.affected),
            all: number(count.leads),
            stage: stageLabel(action.new_stage),
          }),
          ...(same > 0
            ? [t('{{count, number}} are there already.', { count: same, defaultValue_one: 'One is there already.' })]
            : []),
        ];
  const stopsBot = action.kind === 'deactivate' || botStoppedStages.includes(action.new_stage);
  if (stopsBot && count.waiting > 0) {
    sentences.push(
      t('{{count, number}} waiting messages of the bot are cancelled.', {
        count: count.waiting,
        defaultValue_one: 'One waiting message of the bot is cancelled.',
      }),
    );
  }
  return sentences.join(' ');
}
