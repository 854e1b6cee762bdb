import type { z } from 'zod';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import type { BodyOf } from '../platform/contract.ts';
import type { Reader, Tx } from '../platform/db.ts';
import type { Caller } from '../platform/http/caller.ts';
import { readList } from '../platform/http/listQuery.ts';
import { type ColumnValues, resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { isMasked } from '../platform/secretCipher.ts';
import { findOrCreateAccount, readApiKey } from './account.ts';
import { type Channel, channelRefusals, channels, resumeFirstMessages } from './contract.ts';
import { registerHook, renewHook } from './hookContract.ts';
import { linkRoutes } from './linkRoutes.ts';
import { allowOnAccount, chooseOwner, readOwnershipOrRefuse, updateOwnership } from './ownership.ts';
import { changeOwnership, readOwnership } from './ownershipContract.ts';
import { pairingRoutes } from './pairingRoutes.ts';
import { registerChannelHook } from './registerHook.ts';
import { renewHookSecret } from './renewHookSecret.ts';
import { CHANNEL_SCOPE_CONDITION } from './scope.ts';
import {
  countLinks,
  findChannel,
  findChannelByRef,
  hasDialogues,
  requestAccountPoll,
  resumeChannelFirstMessages,
} from './store.ts';

/** Keep the transport, which only the vendor reports: an operator's config neither sets nor removes it. */
function withTransport(config: Channel['config'], transport: unknown): Channel['config'] {
  const { transport: _transport, ...rest } = config;
  return transport === undefined ? rest : { ...rest, transport };
}

/** Hide a channel's credentials from members, and companies that are not theirs among its owner and shares. */
function hideFromMember(channel: Channel, caller: Caller): Channel {
  const visible = caller.admin ? channel : { ...channel, credentials: null };
  const { companies } = caller;
  if (companies === null) return visible;
  const shared_company_ids = channel.shared_company_ids.filter((one) => companies.includes(one));
  if (channel.company_id !== null && companies.includes(channel.company_id)) return { ...visible, shared_company_ids };
  return { ...visible, company_id: null, company_name: null, shared_company_ids };
}

const CHANNEL_LISTING = {
  table: 'channels',
  from: 'channels t join vendor_accounts a on a.id = t.account_id left join companies k on k.id = t.company_id',
  select: {
    id: 't.id',
    name: 't.name',
    number: 't.number',
    credentials: "jsonb_build_object('api_key', a.key_mask, 'channel_id', t.vendor_ref)",
    config: 't.config',
    channel_type: 't.channel_type',
    vendor: 't.vendor',
    company_id: 't.company_id',
    company_name: 'k.name',
    shared_company_ids: `coalesce((select jsonb_agg(s.company_id order by s.company_id) from channel_companies s
      where s.channel_id = t.id and s.company_id is distinct from t.company_id), '[]')`,
    is_active: 't.is_active',
    is_session_active: 't.is_session_active',
    state: 'coalesce(a.key_rejected_reason, t.pause_reason, t.state)',
    firsts_stopped_reason: 't.first_messages_stopped_reason',
    firsts_stopped_at: 't.first_messages_stopped_at',
    created_at: 't.created_at',
    version: 't.revision',
  },
  search: ['t.name', 't.number'],
  scopeCondition: CHANNEL_SCOPE_CONDITION,
  id: 't.id',
};

const channelResource = (context: AppContext) => resource(context, channels, CHANNEL_LISTING);

export function channelRoutes(context: AppContext): Route[] {
  const crudRoutes = channelResource(context);
  async function readOrRefuse(reader: Reader, id: number): Promise<Channel> {
    const channel = await crudRoutes.read(reader, id);
    if (!channel) throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
    return channel;
  }

  return [
    route(channels.list, async ({ query, caller }) => {
      const request = { listing: CHANNEL_LISTING, query, companies: caller.companies };
      const { items, total } = await readList<Channel>(context.pool, request);
      const { page, limit } = query;
      return ok(200, { items: items.map((one) => hideFromMember(one, caller)), total, page, limit });
    }),
    route(channels.get, async ({ params, caller }) =>
      ok(200, hideFromMember(await readOrRefuse(context.reader, params.id), caller)),
    ),
    crudRoutes.create((tx, body) => newColumns(context, tx, body)),
    ...crudRoutes.replace((tx, change) => changedColumns(context, tx, change)),
    crudRoutes.remove(async (tx, before) => {
      const count = await countLinks(tx, before.id);
      if (count > 0) throw refuse(channelRefusals, 'channel.linked', { count });
      // Dialogues keep their channel: it can be deactivated, but not deleted.
      if (await hasDialogues(tx, before.id)) throw refuse(channelRefusals, 'channel.has_dialogues');
      return undefined;
    }),
    route(readOwnership, async ({ params }) => ok(200, await readOwnershipOrRefuse(context.reader, params.id))),
    route(changeOwnership, async ({ params, body, caller, requestId }) =>
      ok(200, await updateOwnership(context, { channelId: params.id, change: body }, { caller, requestId })),
    ),
    route(registerHook, async ({ params, query, caller, requestId }) => {
      const { isRegistered: already } = await registerChannelHook(context, params.id, query.replace);
      const action = query.replace ? 'hook replaced' : 'hook registered';
      if (!already)
        await context.transact((tx) =>
          recordAuditEntry(tx, { caller, action, noun: 'channel', rowId: params.id, requestId }),
        );
      return already ? ok(208, { message: 'Already registered' }) : ok(201, { message: 'Success' });
    }),
    route(renewHook, async ({ params, query, body, caller, requestId }) => {
      const asked = { channelId: params.id, secret: body.secret, replace: query.replace };
      const { reason, formerUntil } = await renewHookSecret(context, asked, { caller, requestId });
      const former_accepted_until = formerUntil;
      return reason === null
        ? ok(201, { is_registered: true, message: 'Success', former_accepted_until })
        : ok(202, { is_registered: false, message: reason, former_accepted_until });
    }),
    route(resumeFirstMessages, async ({ params, caller, requestId }) => {
      await context.transact(async (tx) => {
        const { firsts_stopped_reason } = await readOrRefuse(tx, params.id);
        if (!(await resumeChannelFirstMessages(tx, params.id, { isManual: true })))
          throw refuse(channelRefusals, 'channel.firsts_go');
        const action = 'first messages resumed';
        await recordAuditEntry(tx, {
          caller,
          action,
          noun: 'channel',
          rowId: params.id,
          before: { firsts_stopped_reason },
          requestId,
        });
      });
      return ok(200, hideFromMember(await readOrRefuse(context.reader, params.id), caller));
    }),
    ...pairingRoutes(context),
    ...linkRoutes(context),
  ];
}

async function newColumns(
  context: AppContext,
  tx: Tx,
  { credentials, company_id: companyId, ...rest }: BodyOf<typeof channels.create>,
): Promise<ColumnValues> {
  const { api_key: apiKey, channel_id: ref } = credentials;
  const accountId = await findOrCreateAccount(context, tx, { vendor: rest.vendor, apiKey });
  await refuseDuplicate(tx, { accountId, ref, self: null });
  const company_id = await chooseOwner(tx, accountId, companyId);
  await requestAccountPoll(tx, accountId);
  const config = withTransport(rest.config, undefined);
  return { ...rest, config, company_id, account_id: accountId, vendor_ref: ref };
}

async function changedColumns(
  context: AppContext,
  tx: Tx,
  { before, body }: { before: Channel; body: z.output<typeof channels.update> },
): Promise<ColumnValues> {
  const { credentials, company_id: companyId, ...rest } = body;
  if (companyId !== before.company_id) throw refuse(channelRefusals, 'channel.company_fixed');
  const row = await findChannel(tx, before.id);
  if (!row) throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
  const { api_key: key, channel_id: ref } = credentials;
  // A stored key is never sent to another vendor without being entered again.
  if (body.vendor !== before.vendor && isMasked(key)) throw refuse(channelRefusals, 'channel.credentials_again');
  const apiKey = isMasked(key) ? await readApiKey(context, row.account_id) : key;
  const accountId = await findOrCreateAccount(context, tx, { vendor: body.vendor, apiKey });
  await refuseDuplicate(tx, { accountId, ref, self: before.id });
  if (before.company_id !== null) await allowOnAccount(tx, accountId, before.company_id);
  const isSame = accountId === row.account_id && ref === row.vendor_ref;
  if (!isSame) await requestAccountPoll(tx, accountId);
  const config = withTransport(body.config, isSame ? before.config['transport'] : undefined);
  return { ...rest, config, account_id: accountId, vendor_ref: ref };
}

async function refuseDuplicate(
  tx: Tx,
  { accountId, ref, self }: { accountId: number; ref: string; self: number | null },
): Promise<void> {
  const other = await findChannelByRef(tx, accountId, ref);
  if (other && other.id !== self) throw refuse(channelRefusals, 'channel.taken', { name: other.name });
}
