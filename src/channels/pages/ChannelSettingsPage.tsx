/** The channels that the selected product writes from, and their settings. */
import { Button, Group, Text } from '@mantine/core';
import { IconPencil, IconPlus, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call } from '../../ui/api.ts';
import type { Column } from '../../ui/columns.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { DeleteDialog } from '../../ui/DeleteDialog.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { useAllRows } from '../../ui/fetchAllRows.ts';
import { formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { Pager, rowsCaption } from '../../ui/Pager.tsx';
import { usePageContext } from '../../ui/pageContext.ts';
import { keyOf, useEndpoint, useLogError } from '../../ui/query.ts';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { useScope } from '../../ui/scope.ts';
import { toast } from '../../ui/toast.ts';
import { YesNo } from '../../ui/YesNo.tsx';
import {
  type Channel,
  channels,
  createProductChannel,
  listProductChannels,
  type ProductChannel,
  removeProductChannel,
  replaceProductChannel,
} from '../contract.ts';
import { Messenger, SessionBadge } from './channelDisplay.tsx';
import classes from './link.module.css';
import { type Link, linkBody, linkFields, linkValues } from './link.ts';
import { type LinkActions, linkContext } from './linkContext.ts';

const PAGE_SIZE = 50;
const NO_CHANNELS: readonly Channel[] = [];

interface Position {
  readonly page: number;
  readonly size: number;
}

type OpenDialog = { edit: Link | null } | { remove: Link } | null;

export default function ChannelSettingsPage() {
  const productId = useScope().product?.id ?? 0;
  const [position, setPosition] = useState({ page: 0, size: PAGE_SIZE });
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const { links, total, linksQuery, channelsQuery } = useLinks(productId, position);
  const actions = useLinkActions();
  usePageContext(linkContext(productId, links, actions));

  const add = (
    <Button size="xs" leftSection={<IconPlus size="1rem" />} onClick={() => setDialog({ edit: null })}>
      {t('Add Channel')}
    </Button>
  );
  const isEmpty = links?.length === 0 && total === 0;
  return (
    <PageFrame
      title={t('Channel Settings')}
      fill
      actions={
        <>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size="1rem" />}
            loading={linksQuery.isFetching && !linksQuery.isPending}
            onClick={() => void actions.refresh()}
          >
            {t('Refresh')}
          </Button>
          {add}
        </>
      }
    >
      {linksQuery.error && <Failure error={linksQuery.error} onRetry={() => linksQuery.refetch()} />}
      {channelsQuery.error && (
        <Failure
          error={channelsQuery.error}
          what={t('Failed to load channels')}
          onRetry={() => channelsQuery.refetch()}
        />
      )}
      {isEmpty && (
        <Notice
          title={t('No {{entity}} found', { entity: t('product channels') })}
          text={t('This product cannot send messages until you add a channel.')}
          action={add}
        />
      )}
      {!isEmpty && (links || !linksQuery.error) && (
        <LinkTable
          links={links}
          isStale={linksQuery.isPlaceholderData}
          total={total}
          {...position}
          onPosition={setPosition}
          onOpen={setDialog}
        />
      )}
      {dialog && (
        <LinkDialog
          opened={dialog}
          productId={productId}
          links={links ?? []}
          actions={actions}
          onClose={() => setDialog(null)}
        />
      )}
    </PageFrame>
  );
}

/** The rows of one page, and the queries they come from. */
function useLinks(productId: number, { page, size }: Position) {
  const query = { product_id: [productId], page: page + 1, limit: size };
  const linksQuery = useEndpoint(listProductChannels, { query }, { keepPrevious: true, staleTime: 0 });
  const channelsQuery = useAllRows(channels, {});
  useLogError(channelsQuery.error, 'Failed to load channels');
  // If the channels cannot be loaded, show ids instead of names.
  const names = channelsQuery.data ?? (channelsQuery.error ? NO_CHANNELS : undefined);
  const links = useMemo(() => linksQuery.data?.items.map((link) => toLink(link, names)), [linksQuery.data, names]);
  return { links, total: linksQuery.data?.total ?? 0, linksQuery, channelsQuery };
}

/** Saving and removing links, with a toast for either outcome. */
function useLinkActions(): LinkActions {
  const cache = useQueryClient();
  const refresh = () =>
    Promise.all([
      cache.invalidateQueries({ queryKey: keyOf(listProductChannels) }),
      cache.invalidateQueries({ queryKey: keyOf(channels.list) }),
    ]);
  const run = async (change: Promise<unknown>, { succeeded, failed }: { succeeded: string; failed: string }) => {
    try {
      await change;
    } catch (error) {
      toast.error(failed);
      throw error;
    }
    toast.success(succeeded);
    await refresh();
  };
  return {
    refresh,
    save: (current, body) =>
      current === null
        ? run(call(createProductChannel, { body }), {
            succeeded: t('Product channel created successfully'),
            failed: t('Failed to save product channel. Please try again.'),
          })
        : run(call(replaceProductChannel, { query: { channel_id: current.channel_id }, body }), {
            succeeded: t('Product channel updated successfully'),
            failed: t('Failed to save product channel. Please try again.'),
          }),
    remove: ({ product_id, channel_id }) =>
      run(call(removeProductChannel, { query: { product_id, channel_id } }), {
        succeeded: t('Product channel deleted successfully'),
        failed: t('Failed to delete product channel. Please try again.'),
      }),
  };
}

interface LinkTableProps extends Position {
  links: readonly Link[] | undefined;
  isStale: boolean;
  total: number;
  onPosition: (position: Position) => void;
  onOpen: (dialog: OpenDialog) => void;
}

function LinkTable({ links, isStale, total, page, size, onPosition, onOpen }: LinkTableProps) {
  const companyId = useScope().company?.id;
  const columns = useMemo(() => linkColumns(companyId), [companyId]);
  const entity = t('product channels');
  return (
    <>
      <DataTable
        caption={entity}
        columns={columns}
        rows={links}
        stale={isStale}
        rowTarget={(link) => ({ open: () => onOpen({ edit: link }) })}
        tools={(link) => (
          <RowMenu
            name={link.name}
            actions={[
              { label: t('Edit'), icon: IconPencil, run: () => onOpen({ edit: link }) },
              { label: t('Delete'), icon: IconTrash, run: () => onOpen({ remove: link }), danger: true },
            ]}
          />
        )}
      />
      <Pager
        caption={links ? rowsCaption({ total, page, size, plural: entity }) : t('Loading {{entity}}...', { entity })}
        total={total}
        page={page}
        size={size}
        onPage={(chosen) => onPosition({ page: chosen, size })}
        onSize={(chosen) => onPosition({ page: 0, size: chosen })}
      />
    </>
  );
}

interface LinkDialogProps {
  opened: NonNullable<OpenDialog>;
  productId: number;
  links: readonly Link[];
  actions: LinkActions;
  onClose: () => void;
}

function LinkDialog({ opened, productId, links, actions, onClose }: LinkDialogProps) {
  const { company } = useScope();
  if ('remove' in opened)
    return (
      <DeleteDialog
        what={t('the link to the channel “{{name}}”', { name: opened.remove.name })}
        remove={() => actions.remove(opened.remove)}
        cascadeCounts={() => Promise.resolve(describeUnlink(opened.remove))}
        onDone={() => {}}
        onClose={onClose}
      />
    );
  const { edit } = opened;
  const otherChannelIds = links.map((link) => link.channel_id).filter((id) => id !== edit?.channel_id);
  return (
    <FormDialog
      title={edit ? t('Edit product channel') : t('Add Channel')}
      fields={linkFields(company?.id ?? null, otherChannelIds)}
      initial={linkValues(edit)}
      submitLabel={edit ? t('Save') : t('Create')}
      send={(body) => actions.save(edit, linkBody(productId, body))}
      onDone={() => {}}
      onClose={onClose}
    />
  );
}

function toLink(link: ProductChannel, named: readonly Channel[] | undefined): Link {
  const channel = named?.find(({ id }) => id === link.channel_id) ?? null;
  // Show nothing while the names load: an id would only flicker.
  const name = channel?.name ?? (named === undefined ? '' : `#${link.channel_id}`);
  return { ...link, id: link.channel_id, channel, name };
}

function linkColumns(companyId: number | undefined): Column<Link>[] {
  const delay = (value: number | null) => (value === null ? '–' : formatNumber(value));
  return [
    {
      key: 'channel',
      label: t('Channel'),
      primary: true,
      span: 3.75,
      render: ({ name, channel }) => (
        <Group gap="xs" wrap="nowrap">
          {channel && <Messenger type={channel.channel_type} />}
          <Text span inherit truncate>
            {name}
          </Text>
          {channel?.company_name && channel.company_id !== companyId && (
            <Text span size="xs" c="dimmed" truncate>
              {t('of {{company}}', { company: channel.company_name })}
            </Text>
          )}
          {/* A working channel needs no badge. */}
          {channel && !(channel.is_active && channel.is_session_active) && (
            <span className={classes.session}>
              <SessionBadge channel={channel} />
            </span>
          )}
        </Group>
      ),
    },
    {
      key: 'inbound_enabled',
      label: t('Inbound Enabled'),
      span: 1.25,
      render: ({ config }) => <YesNo value={config.inbound_enabled} yes={t('Enabled')} no={t('Disabled')} />,
    },
    {
      key: 'delay_messages_symbols_per_second',
      label: t('Delay (symbols/sec)'),
      span: 1.5,
      number: true,
      render: ({ config }) => delay(config.delay_messages_symbols_per_second),
    },
    {
      key: 'delay_messages_seconds',
      label: t('Delay (seconds)'),
      span: 1.25,
      number: true,
      render: ({ config }) => delay(config.delay_messages_seconds),
    },
  ];
}

function describeUnlink(link: Link): string {
  const text = t(
    'Its dialogues stay, and messages already queued are sent. No new leads are contacted on this channel.',
  );
  if (!link.config.inbound_enabled) return text;
  return `${text} ${t('New leads who write to it get no reply.')}`;
}
