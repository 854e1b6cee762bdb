/** The channels that the chosen product writes from, and how. */
import { Button, Group, Text } from '@mantine/core';
import { IconPencil, IconPlus, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useEveryRow } from '../../kit/allIds.ts';
import { call } from '../../kit/api.ts';
import type { Column } from '../../kit/columns.ts';
import { DataTable } from '../../kit/DataTable.tsx';
import { DeleteDialog } from '../../kit/DeleteDialog.tsx';
import { Failure } from '../../kit/Failure.tsx';
import { FormDialog } from '../../kit/FormDialog.tsx';
import { formatNumber } from '../../kit/format.ts';
import { Notice } from '../../kit/Notice.tsx';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { Pager, rowsCaption } from '../../kit/Pager.tsx';
import { usePageContext } from '../../kit/pageContext.ts';
import { keyOf, useEndpoint, useLogged } from '../../kit/query.ts';
import { RowMenu } from '../../kit/RowMenu.tsx';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { YesNo } from '../../kit/YesNo.tsx';
import {
  type Channel,
  channels,
  createProductChannel,
  listProductChannels,
  type ProductChannel,
  removeProductChannel,
  replaceProductChannel,
} from '../contract.ts';
import classes from './link.module.css';
import { type Link, linkBody, linkFields, linkValues } from './link.ts';
import { linkContext } from './linkContext.ts';
import { Messenger, SessionBadge } from './look.tsx';

const PAGE_SIZE = 50;
const NO_CHANNELS: readonly Channel[] = [];

type Doing = { edit: Link | null } | { remove: Link } | null;

export default function ChannelSettingsPage() {
  const cache = useQueryClient();
  const { company, product } = useScope();
  const productId = product?.id ?? 0;
  const [page, setPage] = useState(0);
  const [size, setSize] = useState(PAGE_SIZE);
  const [doing, setDoing] = useState<Doing>(null);
  const query = { product_id: [productId], page: page + 1, limit: size };
  const found = useEndpoint(listProductChannels, { query }, { keepPrevious: true, staleTime: 0 });
  const named = useEveryRow(channels, {});
  useLogged(named.error, 'Failed to load channels');
  const companyId = company?.id;
  const columns = useMemo(() => linkColumns(companyId), [companyId]);
  // Where the names cannot be read, numbers stand for them.
  const names = named.data ?? (named.error ? NO_CHANNELS : undefined);
  const links = useMemo(() => found.data?.items.map((link) => linkOf(link, names)), [found.data, names]);
  const total = found.data?.total ?? 0;

  const refresh = () =>
    Promise.all([
      cache.invalidateQueries({ queryKey: keyOf(listProductChannels) }),
      cache.invalidateQueries({ queryKey: keyOf(channels.list) }),
    ]);
  const save = async (old: Link | null, body: ReturnType<typeof linkBody>) => {
    try {
      await (old === null
        ? call(createProductChannel, { body })
        : call(replaceProductChannel, { query: { channel_id: old.channel_id }, body }));
    } catch (error) {
      toast.error(t('Failed to save product channel. Please try again.'));
      throw error;
    }
    toast.success(old === null ? t('Product channel created successfully') : t('Product channel updated successfully'));
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
    <Button size="xs" leftSection={<IconPlus size="1rem" />} onClick={() => setDoing({ edit: null })}>
      {t('Add Channel')}
    </Button>
  );
  const taken = (but: Link | null) =>
    (links ?? []).map((link) => link.channel_id).filter((id) => id !== but?.channel_id);
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
            loading={found.isFetching && !found.isPending}
            onClick={() => void refresh()}
          >
            {t('Refresh')}
          </Button>
          {add}
        </>
      }
    >
      {found.error && <Failure error={found.error} onRetry={() => found.refetch()} />}
      {named.error && (
        <Failure error={named.error} what={t('Failed to load channels')} onRetry={() => named.refetch()} />
      )}
      {links?.length === 0 && total === 0 ? (
        <Notice
          title={t('No {{entity}} found', { entity: t('product channels') })}
          text={t('Without a channel this product can write to nobody.')}
          action={add}
        />
      ) : (
        (links || !found.error) && (
          <>
            <DataTable
              caption={t('product channels')}
              columns={columns}
              rows={links}
              stale={found.isPlaceholderData}
              opening={(link) => ({ open: () => setDoing({ edit: link }) })}
              tools={(link) => (
                <RowMenu
                  name={link.name}
                  actions={[
                    { label: t('Edit'), icon: IconPencil, run: () => setDoing({ edit: link }) },
                    { label: t('Delete'), icon: IconTrash, run: () => setDoing({ remove: link }), danger: true },
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
      {doing && 'edit' in doing && (
        <FormDialog
          title={doing.edit ? t('Edit product channel') : t('Add Channel')}
          fields={linkFields(taken(doing.edit))}
          initial={linkValues(doing.edit)}
          submitLabel={doing.edit ? t('Save') : t('Create')}
          send={(body) => save(doing.edit, linkBody(productId, body))}
          onDone={() => {}}
          onClose={() => setDoing(null)}
        />
      )}
      {doing && 'remove' in doing && (
        <DeleteDialog
          what={t('the link to the channel “{{name}}”', { name: doing.remove.name })}
          remove={() => remove(doing.remove)}
          alongside={() => Promise.resolve(consequenceOf(doing.remove))}
          onDone={() => {}}
          onClose={() => setDoing(null)}
        />
      )}
    </PageFrame>
  );
}

function linkOf(link: ProductChannel, named: readonly Channel[] | undefined): Link {
  const channel = named?.find(({ id }) => id === link.channel_id) ?? null;
  // Nothing while the names are read: a number would only flicker.
  const name = channel?.name ?? (named === undefined ? '' : `#${link.channel_id}`);
  return { ...link, id: link.channel_id, channel, name };
}

function linkColumns(companyId: number | undefined): Column<Link>[] {
  const delay = (value: number | null) => (value === null ? '–' : formatNumber(value));
  return [
    {
      key: 'channel',
      label: t('Channel'),
      main: true,
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
          {/* One that works needs no word. */}
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

function consequenceOf(link: Link): string {
  const stays = t('Dialogues on this channel stay, and what waits to be sent on it is sent. Nobody new is written to.');
  if (!link.config.inbound_enabled) return stays;
  return `${stays} ${t('Somebody new who writes on it gets no answer.')}`;
}
