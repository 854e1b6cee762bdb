/** Whether the person behind a lead wants no more messages: how that is known, and what operators do about it. */
import { Badge, Button, Checkbox, Group, Modal, Paper, Stack, Text, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../ui/api.ts';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { Failure } from '../../../ui/Failure.tsx';
import { dateTimeInSentence } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import { keyOf, queryClient, useEndpoint } from '../../../ui/query.ts';
import { toast } from '../../../ui/toast.ts';
import { useRefresh } from '../../../ui/useRefresh.ts';
import type { Lead } from '../../contract.ts';
import { decideOptOutOfLead, liftOptOutOfLead, optOutOfLead, type PersonOptOutView } from '../../optOutContract.ts';
import type { OptOutState } from '../../personOptOut.ts';

type LeadOfPerson = Pick<Lead, 'id' | 'name' | 'is_active'>;

const STATE_LABELS: Readonly<Record<OptOutState, string>> = {
  certain: 'Asked not to be written to',
  doubtful: 'May want no more messages',
};

/** Read the wish of the person behind a lead; null: none, or not loaded yet. */
export function usePersonOptOut(leadId: number): PersonOptOutView | null {
  useRefresh(optOutOfLead);
  return useEndpoint(optOutOfLead, { params: { id: leadId } }).data?.opt_out ?? null;
}

function sourceSentence({ source, operator, state }: PersonOptOutView): string {
  switch (source) {
    case 'words':
      return state === 'certain' ? t('The person asked for it in a message.') : t('A message may be such a request.');
    case 'model':
      return t('The bot understood it so.');
    case 'detection':
      return t('Stage detection understood it so.');
    case 'promise':
      return t('The bot promised not to write again.');
    case 'operator':
      return operator === null ? t('An operator recorded it.') : t('{{operator}} recorded it.', { operator });
    case 'upgrade':
      return t('The lead opted out; an earlier version recorded it without its source.');
    default:
      return source satisfies never;
  }
}

/** The badge of a person's wish. */
function OptOutBadge({ state }: Pick<PersonOptOutView, 'state'>) {
  const hint =
    state === 'certain'
      ? t('No product of the company sends this person anything it did not ask for.')
      : t('Nothing unsolicited is sent until this is decided.');
  return (
    <Tooltip label={hint} multiline maw={280}>
      <Badge color={state === 'certain' ? 'red' : 'orange'} variant="light" tabIndex={0} style={{ flex: 'none' }}>
        {t(STATE_LABELS[state])}
      </Badge>
    </Tooltip>
  );
}

interface NoticeProps {
  lead: LeadOfPerson;
  /** Called when an operator has decided or lifted it. */
  onChanged?: (() => void) | undefined;
  /** A bar across its column instead of a card. */
  isBar?: boolean;
}

const BAR = { borderBottom: '1px solid var(--mantine-color-default-border)' } as const;

/** Shows the wish with its source and buttons; nothing if there is none. */
export function PersonOptOutNotice({ lead, onChanged, isBar = false }: NoticeProps) {
  const optOut = usePersonOptOut(lead.id);
  if (!optOut) return null;
  return (
    <Paper
      {...(isBar ? { radius: 0, px: 'md', py: 'xs', style: BAR } : { withBorder: true, p: 'sm' })}
      role="status"
      aria-label={t(STATE_LABELS[optOut.state])}
    >
      <Group gap="sm" justify="space-between" align="center">
        <Stack gap={4} miw={0} flex="1 1 16rem">
          <Group gap="xs">
            <OptOutBadge state={optOut.state} />
            <Text size="xs" c="dimmed">
              {t('since {{time}}', { time: dateTimeInSentence(optOut.since) })}
            </Text>
          </Group>
          <Text size="sm">{sourceSentence(optOut)}</Text>
          {optOut.message !== null && (
            <Text size="sm" c="dimmed" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
              “{optOut.message}”
            </Text>
          )}
          {optOut.lead_id !== null && optOut.lead_id !== lead.id && (
            <Text size="xs">
              <PageLink to="lead-detail" params={{ leadId: optOut.lead_id }}>
                {t('Known from the lead {{name}}', { name: optOut.lead_name ?? '' })}
              </PageLink>
            </Text>
          )}
        </Stack>
        <OptOutActions lead={lead} state={optOut.state} onChanged={onChanged} />
      </Group>
    </Paper>
  );
}

function refresh(): void {
  void queryClient.invalidateQueries({ queryKey: keyOf(optOutOfLead) });
}

/** The buttons that decide about a doubtful wish, or lift a certain one. */
function OptOutActions({ lead, state, onChanged = () => undefined }: NoticeProps & { state: OptOutState }) {
  const [asked, setAsked] = useState<'stop' | 'lift' | null>(null);
  const params = { id: lead.id };
  const done = (message: string) => {
    toast.success(message);
    refresh();
    onChanged();
  };
  const keep = useMutation({
    mutationFn: () => call(decideOptOutOfLead, { params, body: { decision: 'keep' } }),
    onSuccess: () => done(t('{{name}} is written to again', { name: lead.name })),
    onError: toast.failure,
  });
  return (
    <Group gap="xs">
      {state === 'certain' ? (
        <Button size="compact-sm" variant="default" onClick={() => setAsked('lift')}>
          {t('Lift the opt-out')}
        </Button>
      ) : (
        <>
          <Button size="compact-sm" color="red" variant="light" onClick={() => setAsked('stop')}>
            {t('They asked to stop')}
          </Button>
          <Button size="compact-sm" variant="default" loading={keep.isPending} onClick={() => keep.mutate()}>
            {t('Keep writing')}
          </Button>
        </>
      )}
      {asked === 'stop' && (
        <ConfirmDialog
          title={t('Stop writing to {{name}}?', { name: lead.name })}
          text={t(
            'The lead is deactivated, and no product of the company sends this person anything it did not ask for.',
          )}
          confirm={t('Stop writing')}
          color="red"
          run={() => call(decideOptOutOfLead, { params, body: { decision: 'stop' } })}
          onDone={() => done(t('{{name}} is not written to any more', { name: lead.name }))}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === 'lift' && (
        <LiftDialog
          lead={lead}
          onDone={() => done(t('Lifted the opt-out of {{name}}', { name: lead.name }))}
          onClose={() => setAsked(null)}
        />
      )}
    </Group>
  );
}

/** Asks before the opt-out of a person is lifted, and whether the lead becomes active. */
function LiftDialog({ lead, onDone, onClose }: { lead: LeadOfPerson; onDone: () => void; onClose: () => void }) {
  const [opened, setOpened] = useState(true);
  const [activate, setActivate] = useState(true);
  const lift = useMutation({
    mutationFn: () =>
      call(liftOptOutOfLead, { params: { id: lead.id }, query: { activate: activate && !lead.is_active } }),
    onSuccess: () => {
      setOpened(false);
      onDone();
    },
  });
  const close = () => {
    if (!lift.isPending) setOpened(false);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      onExitTransitionEnd={onClose}
      title={t('Lift the opt-out of {{name}}?', { name: lead.name })}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        <Text size="sm">
          {t(
            'Only do this if the person agrees to get messages again. It holds for all products of the company. What the person wrote before does not count again.',
          )}
        </Text>
        {!lead.is_active && (
          <Checkbox
            label={t('Activate the lead as well')}
            checked={activate}
            onChange={(event) => setActivate(event.currentTarget.checked)}
          />
        )}
        {lift.error && <Failure error={lift.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={lift.isPending} data-autofocus>
            {t('Cancel')}
          </Button>
          <Button loading={lift.isPending} onClick={() => lift.mutate()}>
            {t('Lift the opt-out')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
