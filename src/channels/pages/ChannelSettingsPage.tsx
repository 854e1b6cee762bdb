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
import { linkContext } from './linkContext.ts';

const PAGE_SIZE = 50;
const NO_CHANNELS: readonly Channel[] = [];

type OpenDialog = { edit: Link | null } | { remove: Link } | null;

export default function ChannelSettingsPage() {
  const cache = useQueryClient();
  const { company, product } = useScope();
  const productId = product?.id ?? 0;
  const [page, setPage] = useState(0);
  const [size, setSize] = useState(PAGE_SIZE);
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null);
  const query = { product_id: [productId], page: page + 1, limit: size };
  const linksQuery = useEndpoint(listProductChannels, { query }, { keepPrevious: true, staleTime: 0 });
  const channelsQuery = useAllRows(channels, {});
  useLogError(channelsQuery.error, 'Failed to load channels');
  const companyId = company?.id;
  const columns = useMemo(() => linkColumns(companyId), [companyId]);
  // If the channels cannot be loaded, show ids instead of names.
  const names = channelsQuery.data ?? (channelsQuery.error ? NO_CHANNELS : undefined);
  const links = useMemo(() => linksQuery.data?.items.map((link) => toLink(link, names)), [linksQuery.data, names]);
  const total = linksQuery.data?.total ?? 0;

  const refresh = () =>
    Promise.all([
      cache.invalidateQueries({ queryKey: keyOf(listProductChannels) }),
      cache.invalidateQueries({ queryKey: keyOf(channels.list) }),
    ]);
  const save = async (current: Link | null, body: ReturnType<typeof linkBody>) => {
    try {
      await (current === null
        ? call(createProductChannel, { body })
        : call(replaceProductChannel, { query: { channel_id: current.channel_id }, body }));
    } catch (error) {
      toast.error(t('Failed to save product channel. Please try again.'));
      throw error;
    }
    toast.success(
      current === null ? t('Product channel created successfully') : t('Product channel updated successfully'),
    );
    await refresh();
  };
  const remove = async (link: Link) => {
    try {
      await call(removeProductChannel, { query: { product_id: link.product_id, channel_id: link.channel_id } });
    } catch (error) {
      toast.error(t('Failed to delete product channel. Please try again.'));
      throw error;
    }
    toast.success(t('Product channel deleted successfully'));
    await refresh();
  };
  usePageContext(linkContext(productId, links, { save, remove, refresh }));

  const add = (
    <Button size="xs" leftSection={<IconPlus size="1rem" />} onClick={() => setOpenDialog({ edit: null })}>
      {t('Add Channel')}
    </Button>
  );
  const linkedChannelIds = (except: Link | null) =>
    (links ?? []).map((link) => link.channel_id).filter((id) => id !== except?.channel_id);
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
            onClick={() => void refresh()}
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
      {links?.length === 0 && total === 0 ? (
        <Notice
          title={t('No {{entity}} found', { entity: t('product channels') })}
          text={t('Without a channel this product can write to nobody.')}
          action={add}
        />
      ) : (
        (links || !linksQuery.error) && (
          <>
            <DataTable
              caption={t('product channels')}
              columns={columns}
              rows={links}
              stale={linksQuery.isPlaceholderData}
              rowTarget={(link) => ({ open: () => setOpenDialog({ edit: link }) })}
              tools={(link) => (
                <RowMenu
                  name={link.name}
                  actions={[
                    { label: t('Edit'), icon: IconPencil, run: () => setOpenDialog({ edit: link }) },
                    { label: t('Delete'), icon: IconTrash, run: () => setOpenDialog({ remove: link }), danger: true },
                  ]}
                />
              )}
            />
            <Pager
              caption={
                links
                  ? rowsCaption(total, page, size, t('product channels'))
                  : t('Loading {{entity}}...', { entity: t('product channels') })
              }
              total={total}
              page={page}
              size={size}
              onPage={setPage}
              onSize={(chosen) => {
                setSize(chosen);
                setPage(0);
              }}
            />
          </>
        )
      )}
      {openDialog && 'edit' in openDialog && (
        <FormDialog
          title={openDialog.edit ? t('Edit product channel') : t('Add Channel')}
          fields={linkFields(linkedChannelIds(openDialog.edit))}
          initial={linkValues(openDialog.edit)}
          submitLabel={openDialog.edit ? t('Save') : t('Create')}
          send={(body) => save(openDialog.edit, linkBody(productId, body))}
          onDone={() => {}}
          onClose={() => setOpenDialog(null)}
        />
      )}
      {openDialog && 'remove' in openDialog && (
        <DeleteDialog
          what={t('the link to the channel “{{name}}”', { name: openDialog.remove.name })}
          remove={() => remove(openDialog.remove)}
          cascadeCounts={() => Promise.resolve(describeUnlink(openDialog.remove))}
          onDone={() => {}}
          onClose={() => setOpenDialog(null)}
        />
      )}
    </PageFrame>
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
  const text = t('Dialogues on this channel stay, and what waits to be sent on it is sent. Nobody new is written to.');
  if (!link.config.inbound_enabled) return text;
  return `${text} ${t('Somebody new who writes on it gets no answer.')}`;
}
