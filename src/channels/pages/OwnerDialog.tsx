/** Edits which company owns a channel and its vendor account, and which others may use them. */
import { Modal, Skeleton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { companies } from '../../companies/contract.ts';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import type { Field } from '../../ui/form.ts';
import { valuesOf } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { optionSource } from '../../ui/optionSource.ts';
import { ALWAYS_REFETCH, keyOf, useEndpoint } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { type Channel, channels } from '../contract.ts';
import { changeOwnership, type Ownership, readOwnership } from '../ownershipContract.ts';
import { vendorLabel } from './channelDisplay.tsx';

export const COMPANIES = optionSource({
  resource: companies,
  labelOf: (company) => company.name,
  query: { order_by: 'name', order: 'asc' },
});

export function OwnerDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const cache = useQueryClient();
  const params = { id: channel.id };
  const read = useEndpoint(readOwnership, { params }, ALWAYS_REFETCH);
  const title = t('Owner of {{name}}', { name: channel.name });
  const fresh = read.isFetchedAfterMount ? read.data : undefined;
  if (fresh === undefined)
    return (
      <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('Close') }}>
        {read.error ? <Failure error={read.error} onRetry={() => read.refetch()} /> : <Skeleton height={160} />}
      </Modal>
    );
  const fields = ownerFields(channel, fresh);
  return (
    <FormDialog
      title={title}
      fields={fields}
      initial={valuesOf(fields, fresh)}
      send={(body) => call(changeOwnership, { params, body: ownerBody(body) })}
      onDone={() => {
        toast.success(t('Saved the owner of {{name}}', { name: channel.name }));
        void cache.invalidateQueries({ queryKey: keyOf(channels.list) });
      }}
      onClose={onClose}
    />
  );
}

/**
 * Build the request body. An account owner that is not chosen yet is left out: it follows from its channels' owners.
 */
function ownerBody(sent: Readonly<Record<string, unknown>>) {
  const { account_company_id, ...rest } = sent;
  return changeOwnership.body.parse(account_company_id === null ? rest : sent);
}

function ownerFields(channel: Channel, { account_key, account_channels, account_company_id }: Ownership): Field[] {
  const account = `${vendorLabel(channel.vendor)} ${account_key}`;
  return [
    {
      kind: 'select',
      name: 'company_id',
      label: t('Company'),
      source: COMPANIES,
      required: true,
      description: t('Owns the channel. Its members see it even if no product is linked.'),
    },
    {
      kind: 'several',
      name: 'shared_company_ids',
      label: t('Shared with'),
      source: COMPANIES,
      description: t('These companies may link the channel to their products too.'),
    },
    {
      kind: 'select',
      name: 'account_company_id',
      label: t('Company of the account {{account}}', { account }),
      source: COMPANIES,
      required: account_company_id !== null,
      description: t('Owns the key and the webhook of {{count}} channels.', {
        count: account_channels,
        defaultValue_one: 'Owns the key and the webhook of {{count}} channel.',
      }),
    },
    {
      kind: 'several',
      name: 'account_shared_company_ids',
      label: t('Account shared with'),
      source: COMPANIES,
      description: t('These companies may own channels of the account.'),
    },
  ];
}
