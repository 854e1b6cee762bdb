import { Button, Code, Text } from '@mantine/core';
import {
  IconBuilding,
  IconFlame,
  IconHeartbeat,
  IconPlayerPlay,
  IconPlugConnected,
  IconWebhook,
} from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { Column } from '../../ui/columns.ts';
import type { Filter } from '../../ui/filter.ts';
import type { Field } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
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
import { COMPANIES, OwnerDialog } from './OwnerDialog.tsx';
import { RegisterHookDialog } from './RegisterHookDialog.tsx';
import { ResumeFirstMessagesDialog } from './ResumeFirstMessagesDialog.tsx';
import { SessionDialog } from './SessionDialog.tsx';
import { WarmUpDialog } from './WarmUpDialog.tsx';

export default function ChannelsPage() {
  const { operator } = useScope();
  const [registering, setRegistering] = useState<Channel | null>(null);
  const [resuming, setResuming] = useState<Channel | null>(null);
  const [warming, setWarming] = useState<Channel | null>(null);
  const [checking, setChecking] = useState<Channel | null>(null);
  const [owning, setOwning] = useState<Channel | null>(null);
  const [connecting, setConnecting] = useState(false);
  const admin = operator.role === 'admin';
  const columns = useMemo(() => channelColumns(admin), [admin]);
  return (
    <>
      <ResourcePage
        crud={channels}
        title={t('Channels')}
        description={t('The numbers and accounts that Rapport writes from, with the state of their sessions.')}
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
        assistantFields={({
          number,
          vendor,
          channel_type,
          company_id,
          company_name,
          shared_company_ids,
          is_active,
          is_session_active,
          state,
          firsts_stopped_reason,
        }) => ({
          number,
          vendor,
          channel_type,
          company_id,
          company_name,
          shared_company_ids,
          is_active,
          is_session_active,
          state,
          firsts_stopped_reason,
        })}
        assistant={channelTools(admin)}
        actions={(channel: Channel) => [
          { label: t('Check session'), icon: IconHeartbeat, run: () => setChecking(channel) },
          ...(admin
            ? [
                { label: t('Register webhook'), icon: IconWebhook, run: () => setRegistering(channel) },
                { label: t('Owner and sharing'), icon: IconBuilding, run: () => setOwning(channel) },
                { label: t('Warm up'), icon: IconFlame, run: () => setWarming(channel) },
              ]
            : []),
          ...(channel.firsts_stopped_reason === null
            ? []
            : [{ label: t('Resume first messages'), icon: IconPlayerPlay, run: () => setResuming(channel) }]),
        ]}
      />
      {connecting && <ConnectDialog onClose={() => setConnecting(false)} />}
      {checking && <SessionDialog channel={checking} onClose={() => setChecking(null)} />}
      {owning && <OwnerDialog channel={owning} onClose={() => setOwning(null)} />}
      {warming && <WarmUpDialog channel={warming} onClose={() => setWarming(null)} />}
      {resuming && <ResumeFirstMessagesDialog channel={resuming} onClose={() => setResuming(null)} />}
      {registering && <RegisterHookDialog channel={registering} onClose={() => setRegistering(null)} />}
    </>
  );
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
    { key: 'session', label: t('Session'), span: 2.1, render: (channel) => <States channel={channel} /> },
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
    yesNoFilter('is_session_active', t('Session'), t('Connected'), t('Not connected')),
    yesNoFilter('is_active', t('State'), t('Active'), t('Inactive')),
  ];
}

function channelFields(channel: Channel | null): Field[] {
  const ownerField: Field = {
    kind: 'select',
    name: 'company_id',
    label: t('Company'),
    source: COMPANIES,
    required: true,
    description: t('Owns the channel. It can be shared with other companies later.'),
  };
  const keepHint = channel === null ? {} : { description: t('Leave it as it is to keep the stored one.') };
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
      description: t('Nothing is sent through an inactive channel.'),
    },
  ];
}
