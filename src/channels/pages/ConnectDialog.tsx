/** Connects a channel: enter the account's key, choose one of its channels, register the webhook. */
import { Button, Group, Modal, Radio, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { keyOf } from '../../ui/query.ts';
import { ReferenceSelect } from '../../ui/ReferenceSelect.tsx';
import { useScope } from '../../ui/scope.ts';
import { toast } from '../../ui/toast.ts';
import {
  type ChannelType,
  type ChannelVendor,
  channels,
  channelTypes,
  channelVendors,
  type Pairable,
  pairing,
} from '../contract.ts';
import { registerHook } from '../hookContract.ts';
import { SessionBadge, typeOptions, vendorOptions } from './channelDisplay.tsx';
import { COMPANIES } from './OwnerDialog.tsx';

interface Account {
  readonly vendor: ChannelVendor;
  readonly channel_type: ChannelType;
  readonly key: string;
}

export function ConnectDialog({ onClose }: { onClose: () => void }) {
  const [opened, setOpened] = useState(true);
  const close = () => setOpened(false);
  const { finding, connecting, changeAccount, ...pairing } = useConnecting(close);
  const { account, chosen, name, owner } = pairing;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (finding.data === undefined) finding.mutate();
    else if (chosen !== null) connecting.mutate(chosen);
  };
  const isComplete = finding.data === undefined ? account.key.trim() !== '' : chosen !== null && owner !== '';
  return (
    <Modal
      opened={opened}
      onClose={close}
      onExitTransitionEnd={onClose}
      title={t('Connect a channel')}
      size="var(--rapport-form)"
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <form noValidate onSubmit={onSubmit}>
        <Stack gap="md">
          <AccountFields account={account} onChange={changeAccount} />
          {finding.error && <Failure error={finding.error} />}
          {finding.data && <ChannelChoice channels={finding.data} chosen={chosen} onChoose={pairing.setChosen} />}
          {chosen && (
            <>
              <TextInput
                label={t('Name')}
                placeholder={chosen.title}
                value={name}
                onChange={(event) => pairing.setName(event.currentTarget.value)}
              />
              <ReferenceSelect
                label={t('Company')}
                description={t('Owns the channel. You can share it with other companies later.')}
                required
                source={COMPANIES}
                value={owner}
                onChange={pairing.setOwner}
              />
            </>
          )}
          {connecting.error && <Failure error={connecting.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={finding.isPending || connecting.isPending} disabled={!isComplete}>
              {finding.data === undefined ? t('Find channels') : t('Connect')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** The account's key, the channels found with it, and the one being connected. */
function useConnecting(onConnected: () => void) {
  const cache = useQueryClient();
  const [account, setAccount] = useState<Account>({ vendor: 'wazzup24', channel_type: 'whatsapp', key: '' });
  const [chosen, setChosen] = useState<Pairable | null>(null);
  const [name, setName] = useState('');
  const { company } = useScope();
  const [owner, setOwner] = useState(company === null ? '' : String(company.id));
  const { vendor, channel_type, key } = account;
  const finding = useMutation({
    mutationFn: () => call(pairing, { body: { vendor, channel_type, credentials: { api_key: key.trim() } } }),
  });
  const connecting = useMutation({
    mutationFn: async (found: Pairable) => {
      const created = await call(channels.create, {
        body: channels.create.body.parse({
          name: name.trim() || found.title,
          number: found.address,
          vendor,
          channel_type,
          company_id: Number(owner),
          credentials: { api_key: key.trim(), channel_id: found.ref },
        }),
      });
      // The channel is created even if registering the webhook fails: that can be repeated from its row.
      await call(registerHook, { params: { id: created.id } }).catch(toast.failure);
      return created;
    },
    onSuccess: (created) => {
      toast.success(t('Connected {{name}}', { name: created.name }));
      onConnected();
    },
    onSettled: () => cache.invalidateQueries({ queryKey: keyOf(channels.list) }),
  });
  const changeAccount = (change: Partial<Account>) => {
    setAccount({ ...account, ...change });
    setChosen(null);
    finding.reset();
    connecting.reset();
  };
  return { account, changeAccount, finding, connecting, chosen, setChosen, name, setName, owner, setOwner };
}

function AccountFields({ account, onChange }: { account: Account; onChange: (change: Partial<Account>) => void }) {
  const { vendor, channel_type, key } = account;
  return (
    <>
      <Select
        label={t('Vendor')}
        data={vendorOptions()}
        value={vendor}
        allowDeselect={false}
        onChange={(value) => onChange({ vendor: channelVendors.find((one) => one === value) ?? vendor })}
      />
      <Select
        label={t('Messenger')}
        data={typeOptions()}
        value={channel_type}
        allowDeselect={false}
        onChange={(value) => onChange({ channel_type: channelTypes.find((one) => one === value) ?? channel_type })}
      />
      <TextInput
        label={vendor === 'chatpush' ? t('Token of the account') : t('API key')}
        description={t('Encrypted; can’t be viewed again.')}
        required
        autoComplete="off"
        value={key}
        onChange={(event) => onChange({ key: event.currentTarget.value })}
      />
    </>
  );
}

interface ChoiceProps {
  channels: readonly Pairable[];
  chosen: Pairable | null;
  onChoose: (one: Pairable | null) => void;
}

function ChannelChoice({ channels: found, chosen, onChoose }: ChoiceProps) {
  if (found.length === 0) {
    return (
      <Text size="sm" role="status">
        {t('This account has no channel for this messenger. Pair one in the vendor’s dashboard, then try again.')}
      </Text>
    );
  }
  return (
    <Radio.Group
      label={t('Channels of this account')}
      value={chosen?.ref ?? ''}
      onChange={(ref) => onChoose(found.find((one) => one.ref === ref) ?? null)}
    >
      <Stack gap="xs" mt="xs">
        {found.map((one) => (
          <Group key={one.ref} gap="xs">
            <Radio value={one.ref} label={one.address === null ? one.title : `${one.title} · ${one.address}`} />
            <SessionBadge
              channel={{ is_active: true, state: one.state, is_session_active: one.state.toLowerCase() === 'active' }}
            />
          </Group>
        ))}
      </Stack>
    </Radio.Group>
  );
}
