/** The assistant's tools for the owner of a channel and of its vendor account. For admins, as on the page. */
import { z } from 'zod';
import { uncheckedId } from '../../platform/contract.ts';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { Undoable } from '../../ui/pageContext.ts';
import { pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../ui/query.ts';
import { storedUndo } from '../../ui/undo.ts';
import { channels } from '../contract.ts';
import { changeOwnership, type Ownership, readOwnership } from '../ownershipContract.ts';

const TARGET = z.strictObject({
  id: uncheckedId,
  /** The channel itself, or its vendor account with key and webhook. */
  what: z.enum(['channel', 'account']).default('channel'),
  company_id: uncheckedId,
});
type What = z.output<typeof TARGET>['what'];

/** The owner of the channel or account, and the companies it is shared with. */
interface Owners {
  readonly owner: number;
  readonly shared: readonly number[];
}

export function ownerTools(): ToolWithHandler[] {
  return [
    pageTool({
      name: 'show_channel_owner',
      description: t(
        'The companies that own a channel and its vendor account, and the companies that both are shared with.',
      ),
      input: z.strictObject({ id: uncheckedId }),
      run: ({ id }) => call(readOwnership, { params: { id } }),
    }),
    pageTool({
      name: 'set_channel_owner',
      description: t(
        'Makes a company the owner of a channel, or of its vendor account, and shares it with the former owner if wanted. A former owner with linked products has to keep it shared.',
      ),
      input: TARGET.extend({ share_with_former_owner: z.boolean() }),
      confirm: true,
      run: ({ id, what, company_id, share_with_former_owner }) =>
        change(id, what, ({ owner, shared }) => ({
          owner: company_id,
          shared: [...shared, ...(share_with_former_owner ? [owner] : [])].filter((one) => one !== company_id),
        })),
    }),
    pageTool({
      name: 'share_channel',
      description: t(
        'Shares a channel with a further company, which may then link it to its products; or its vendor account, so that the company may own channels of it.',
      ),
      input: TARGET,
      confirm: true,
      run: ({ id, what, company_id }) =>
        change(id, what, ({ owner, shared }) => ({
          owner,
          shared: owner === company_id ? shared : [...new Set([...shared, company_id])],
        })),
    }),
    pageTool({
      name: 'stop_sharing_channel',
      description: t('Stops sharing a channel, or its vendor account, with a company.'),
      input: TARGET,
      confirm: true,
      run: ({ id, what, company_id }) =>
        change(id, what, ({ owner, shared }) => ({ owner, shared: shared.filter((one) => one !== company_id) })),
    }),
  ];
}

/**
 * Change the owners of the channel or account. One without an owner is refused and left to the system page, which shows
 * who uses it: an owner chosen there cannot be undone, only replaced.
 */
async function change(id: number, what: What, to: (before: Owners) => Owners): Promise<Undoable> {
  const before = await readOwners(id, what);
  const wanted = to(before);
  if (wanted.owner === before.owner && wanted.shared.length === before.shared.length)
    throw new Error(t('Nothing has changed.'));
  const left = ownersOf(await write(id, what, wanted), what);
  return new Undoable(
    { what, ...left },
    storedUndo({ after: left, read: () => readOwners(id, what), restore: () => write(id, what, before) }),
  );
}

async function write(id: number, what: What, { owner, shared }: Owners): Promise<Ownership> {
  const shares = [...shared];
  const body =
    what === 'channel'
      ? { company_id: owner, shared_company_ids: shares }
      : { account_company_id: owner, account_shared_company_ids: shares };
  const stored = await call(changeOwnership, { params: { id }, body });
  await queryClient.invalidateQueries({ queryKey: keyOf(channels.list) });
  return stored;
}

const readOwners = async (id: number, what: What) => ownersOf(await call(readOwnership, { params: { id } }), what);

function ownersOf(stored: Ownership, what: What): Owners {
  const { company_id, account_company_id } = stored;
  if (company_id === null || account_company_id === null)
    throw new Error(t('The channel or its account has no owner yet. Choose it on the system page first.'));
  return what === 'channel'
    ? { owner: company_id, shared: stored.shared_company_ids }
    : { owner: account_company_id, shared: stored.account_shared_company_ids };
}
