import { Button, Code, Text } from '@mantine/core';
import {
  IconBuilding,
  IconFlame,
  IconHeartbeat,
  IconKey,
  IconMessageOff,
  IconPlayerPlay,
  IconPlugConnected,
  IconWebhook,
} from '@tabler/icons-react';
import { type ComponentType, useMemo, useState } from 'react';
import type { Column } from '../../ui/columns.ts';
import type { Filter } from '../../ui/filter.ts';
import type { Field } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import type { RowAction } from '../../ui/RowMenu.tsx';
import { useScope } from '../../ui/scope.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { YesNo, yesNoFilter } from '../../ui/YesNo.tsx';
import { type Channel, channels } from '../contract.ts';
import { ConnectDialog } from './ConnectDialog.tsx';
import {
  FirstMessagesNote,
  OwnerName,
  SessionBadge,
  typeLabel,
  typeOptions,
  vendorLabel,
  vendorOptions,
} from './channelDisplay.tsx';
import { channelTools } from './channelTools.ts';
import { IgnoredDialog } from './IgnoredDialog.tsx';
import { COMPANIES, OwnerDialog } from './OwnerDialog.tsx';
import { RegisterHookDialog } from './RegisterHookDialog.tsx';
import { RenewHookDialog } from './RenewHookDialog.tsx';
import { ResumeFirstMessagesDialog } from './ResumeFirstMessagesDialog.tsx';
import { SessionDialog } from './SessionDialog.tsx';
import { WarmUpDialog } from './WarmUpDialog.tsx';

/** A dialog of a row's menu, open for one channel. */
interface OpenDialog {
  readonly Dialog: ComponentType<{ channel: Channel; onClose: () => void }>;
  readonly channel: Channel;
}

export default function ChannelsPage() {
  const { operator } = useScope();
  const [isConnecting, setConnecting] = useState(false);
  const [opened, setOpened] = useState<OpenDialog | null>(null);
  const admin = operator.role === 'admin';
  const columns = useMemo(() => channelColumns(admin), [admin]);
  return (
    <>
      <ResourcePage
        crud={channels}
        title={t('Channels')}
        description={t('The numbers and accounts that Rapport sends from, with the state of their sessions.')}
        columns={columns}
        filters={channelFilters()}
        nameOf={(channel) => channel.name}
        form={{ crud: channels, fields: channelFields, preset: { is_active: true } }}
        removal={{ crud: channels }}
        canWrite={admin}
        buttons={
          admin && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlugConnected size="1rem" />}
              onClick={() => setConnecting(true)}
            >
              {t('Connect a channel')}
            </Button>
          )
        }
        assistantFields={channelForAssistant}
        assistant={channelTools(admin)}
        actions={(channel) => channelActions(channel, admin, setOpened)}
      />
      {isConnecting && <ConnectDialog onClose={() => setConnecting(false)} />}
      {opened && <opened.Dialog channel={opened.channel} onClose={() => setOpened(null)} />}
    </>
  );
}

function channelActions(channel: Channel, admin: boolean, open: (opened: OpenDialog) => void): RowAction[] {
  const opening = (label: string, icon: RowAction['icon'], Dialog: OpenDialog['Dialog']) => ({
    label,
    icon,
    run: () => open({ Dialog, channel }),
  });
  return [
    opening(t('Check session'), IconHeartbeat, SessionDialog),
    opening(t('Show ignored messages'), IconMessageOff, IgnoredDialog),
    ...(admin
      ? [
          opening(t('Register webhook'), IconWebhook, RegisterHookDialog),
          opening(t('Owner and sharing'), IconBuilding, OwnerDialog),
          opening(t('Warm up'), IconFlame, WarmUpDialog),
        ]
      : []),
    // Members see the owner only if it is one of their companies.
    ...(admin || channel.company_id !== null ? [opening(t('Renew webhook secret'), IconKey, RenewHookDialog)] : []),
    ...(channel.firsts_stopped_reason === null
      ? []
      : [opening(t('Resume first messages'), IconPlayerPlay, ResumeFirstMessagesDialog)]),
  ];
}

/** What the assistant sees of a channel, beside id and name: nothing secret. */
const ASSISTANT_FIELDS = [
  'number',
  'vendor',
  'channel_type',
  'company_id',
  'company_name',
  'shared_company_ids',
  'is_active',
  'is_session_active',
  'state',
  'firsts_stopped_reason',
] as const satisfies readonly (keyof Channel)[];

function channelForAssistant(channel: Channel) {
  return Object.fromEntries(ASSISTANT_FIELDS.map((field) => [field, channel[field]]));
}

/** The session, and whether anything limits the channel's first messages. */
function States({ channel }: { channel: Channel }) {
  return (
    <>
      <SessionBadge channel={channel} />
      <FirstMessagesNote channel={channel} />
    </>
  );
}

function channelColumns(admin: boolean): Column<Channel>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', primary: true, span: 1.85, render: (channel) => channel.name },
    { key: 'number', label: t('Number'), sort: 'number', span: 1.63, render: (channel) => channel.number ?? '–' },
    {
      key: 'channel_type',
      label: t('Messenger'),
      sort: 'channel_type',
      span: 2.25,
      render: (channel) => `${typeLabel(channel.channel_type)} · ${vendorLabel(channel.vendor)}`,
    },
    {
      key: 'company',
      label: t('Company'),
      span: 1.6,
      render: (channel) => <OwnerName channel={channel} admin={admin} />,
    },
    { key: 'session', label: t('Session'), span: 2.1, early: true, render: (channel) => <States channel={channel} /> },
    {
      key: 'credentials',
      label: t('API key'),
      span: 1.25,
      hiddenByDefault: true,
      render: (channel) =>
        channel.credentials === null ? (
          <Text span inherit c="dimmed">
            {t('Hidden')}
          </Text>
        ) : (
          <Code>{channel.credentials.api_key}</Code>
        ),
    },
    {
      key: 'vendor',
      label: t('Vendor'),
      sort: 'vendor',
      span: 1.25,
      hiddenByDefault: true,
      render: (channel) => vendorLabel(channel.vendor),
    },
    {
      key: 'is_active',
      label: t('State'),
      sort: 'is_active',
      span: 1.25,
      hiddenByDefault: true,
      render: (channel) => <YesNo value={channel.is_active} yes={t('Active')} no={t('Inactive')} />,
    },
    {
      key: 'id',
      label: t('ID'),
      sort: 'id',
      span: 1,
      number: true,
      hiddenByDefault: true,
      render: (channel) => channel.id,
    },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.25,
      hiddenByDefault: true,
      render: (channel) => <Timestamp iso={channel.created_at} />,
    },
  ];
}

function channelFilters(): Filter[] {
  return [
    { kind: 'options', name: 'channel_type', label: t('Messenger'), options: typeOptions() },
    { kind: 'options', name: 'vendor', label: t('Vendor'), options: vendorOptions() },
    { kind: 'source', name: 'company_id', label: t('Company'), source: COMPANIES },
    yesNoFilter({ name: 'is_session_active', label: t('Session'), yes: t('Connected'), no: t('Not connected') }),
    yesNoFilter({ name: 'is_active', label: t('State'), yes: t('Active'), no: t('Inactive') }),
  ];
}

function channelFields(channel: Channel | null): Field[] {
  const ownerField: Field = {
    kind: 'select',
    name: 'company_id',
    label: t('Company'),
    source: COMPANIES,
    required: true,
    description: t('Owns the channel. You can share it with other companies later.'),
  };
  const keepHint = channel === null ? {} : { description: t('Leave unchanged to keep the stored value.') };
  return [
    { kind: 'text', name: 'name', label: t('Name'), required: true },
    ...(channel === null ? [ownerField] : []),
    { kind: 'select', name: 'vendor', label: t('Vendor'), options: vendorOptions(), required: true },
    { kind: 'select', name: 'channel_type', label: t('Messenger'), options: typeOptions(), required: true },
    { kind: 'text', name: 'number', label: t('Number') },
    { kind: 'text', name: 'credentials.api_key', label: t('API key'), required: true, ...keepHint },
    { kind: 'text', name: 'credentials.channel_id', label: t('Channel id'), required: true, ...keepHint },
    {
      kind: 'boolean',
      name: 'is_active',
      label: t('Active'),
      description: t('Inactive channels send nothing.'),
    },
  ];
}
