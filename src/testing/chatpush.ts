/** A ChatPush account in the test world: WhatsApp, Telegram and a bot, linked to its product, with our webhook. */
import { sql } from 'kysely';
import { findOrCreateAccount } from '../channels/account.ts';
import { allowOnAccount } from '../channels/ownership.ts';
import { registerChannelHook } from '../channels/registerHook.ts';
import { CANARY } from './canaries.ts';
import type { World } from './world.ts';

export const CHATPUSH_TOKEN = `world-chatpush-${CANARY}-token`;
export const CUSTOMER = 10_001;

interface ChannelIds {
  readonly id: number;
  readonly ref: string;
}

export interface Chatpush {
  readonly accountId: number;
  readonly whatsapp: ChannelIds;
  readonly telegram: ChannelIds;
  readonly bot: ChannelIds;
  /** Return the address to which the vendor posts. */
  hookUrl(): Promise<string>;
}

/** Add the account and its channels to a world with a server. */
export async function connectChatpush(world: World): Promise<Chatpush> {
  const { app } = world;
  if (!app) throw new Error('The world has no server of its own');
  const { context } = app;
  await world.control.putChatpush(CHATPUSH_TOKEN, { customerId: CUSTOMER, bot: true });
  const created = await context.transact(async (tx) => {
    const accountId = await findOrCreateAccount(context, tx, { vendor: 'chatpush', apiKey: CHATPUSH_TOKEN });
    await allowOnAccount(tx, accountId, world.companyId);
    const channel = async (type: 'whatsapp' | 'telegram', routing: string): Promise<ChannelIds> => {
      const ref = `${CUSTOMER}:${routing}`;
      const { rows } = await sql<{ id: number }>`
        insert into channels (account_id, company_id, name, number, vendor, channel_type, vendor_ref, is_session_active, state)
        values (${accountId}, ${world.companyId}, ${`ChatPush ${routing}`}, '79990000000', 'chatpush', ${type}, ${ref}, true, 'active')
        returning id`.execute(tx);
      const id = rows[0]?.id ?? 0;
      await sql`insert into product_channels (product_id, company_id, channel_id, inbound_enabled)
                values (${world.productId}, ${world.companyId}, ${id}, true)`.execute(tx);
      return { id, ref };
    };
    return {
      accountId,
      whatsapp: await channel('whatsapp', 'whatsapp'),
      telegram: await channel('telegram', 'tdlib'),
      bot: await channel('telegram', 'telegram'),
    };
  });
  await registerChannelHook(context, created.whatsapp.id, false);
  return {
    ...created,
    async hookUrl() {
      const account = (await world.control.chatpushAccounts()).find(({ token }) => token === CHATPUSH_TOKEN);
      const url = account?.webhooks[0]?.url;
      if (url === undefined) throw new Error('The vendor has no address for hooks');
      return url;
    },
  };
}
