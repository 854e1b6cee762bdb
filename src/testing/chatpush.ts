/** A ChatPush account in the test world: WhatsApp, Telegram and a bot, linked to its product, with our webhook. */
import { sql } from 'kysely';
import { accountOfKey } from '../channels/account.ts';
import { admitToAccount } from '../channels/owner.ts';
import { registerChannelHook } from '../channels/registerHook.ts';
import { CANARY } from './canaries.ts';
import type { World } from './world.ts';

export const CHATPUSH_TOKEN = `world-chatpush-${CANARY}-token`;
export const CUSTOMER = 10_001;

interface ChannelOf {
  readonly id: number;
  readonly ref: string;
}

export interface Chatpush {
  readonly accountId: number;
  readonly whatsapp: ChannelOf;
  readonly telegram: ChannelOf;
  readonly bot: ChannelOf;
  /** Where the vendor posts to. */
  hookUrl(): Promise<string>;
}

/** Adds the account and its channels to a world that serves. */
export async function connectChatpush(world: World): Promise<Chatpush> {
  const { house } = world;
  if (!house) throw new Error('The world has no server of its own');
  const { ground } = house;
  await world.control.putChatpush(CHATPUSH_TOKEN, { customerId: CUSTOMER, bot: true });
  const made = await ground.transact(async (tx) => {
    const accountId = await accountOfKey(ground, tx, 'chatpush', CHATPUSH_TOKEN);
    await admitToAccount(tx, accountId, world.companyId);
    const channel = async (type: 'whatsapp' | 'telegram', routing: string): Promise<ChannelOf> => {
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
  await registerChannelHook(ground, made.whatsapp.id, false);
  return {
    ...made,
    async hookUrl() {
      const account = (await world.control.chatpushAccounts()).find(({ token }) => token === CHATPUSH_TOKEN);
      const url = account?.webhooks[0]?.url;
      if (url === undefined) throw new Error('The vendor has no address for hooks');
      return url;
    },
  };
}
