/** Products for throughput, each with a vendor account and a channel of its own, so that no vendor limit is shared. */
import { findOrCreateAccount } from '../../channels/account.ts';
import { allowOnAccount } from '../../channels/ownership.ts';
import type { AppContext } from '../../platform/appContext.ts';
import type { World } from '../../testing/world.ts';
import { firstMessageConfig } from '../harness/leads.ts';
import { withApp } from '../harness/world.ts';

export interface BenchProduct {
  readonly id: number;
  readonly channelId: number;
  readonly channelRef: string;
}

export const createProducts = (world: World, keys: number): Promise<BenchProduct[]> =>
  withApp(world, ({ context }) => createProductsBy(context, world, keys));

async function createProductsBy(context: AppContext, world: World, keys: number): Promise<BenchProduct[]> {
  const config = firstMessageConfig({ dailyLimit: 1_000_000 });
  const products: BenchProduct[] = [];
  for (let index = 0; index < keys; index++) {
    const key = `bench-key-${index}`;
    const channelRef = crypto.randomUUID();
    const accountId = await context.transact(async (tx) => {
      const account = await findOrCreateAccount(context, tx, { vendor: 'wazzup24', apiKey: key });
      await allowOnAccount(tx, account, world.companyId);
      return account;
    });
    const { rows } = await world.pool.query<{ id: number; channelId: number }>(
      `with p as (insert into products (company_id, name, config) values ($1, $2, $3) returning id),
            c as (insert into channels (account_id, company_id, name, number, vendor, channel_type, vendor_ref, is_session_active, state)
                  values ($4, $1, $2, '79990000000', 'wazzup24', 'whatsapp', $5, true, 'active') returning id)
       insert into product_channels (product_id, company_id, channel_id, created_at)
       select p.id, $1, c.id, domain_now() - interval '2 days' from p, c returning product_id::int as id, channel_id::int as "channelId"`,
      [world.companyId, `Bench ${index}`, config, accountId, channelRef],
    );
    products.push(...rows.map((row) => ({ ...row, channelRef })));
    await world.control.putAccount(key, {
      channels: [{ channelId: channelRef, transport: 'whatsapp', plainId: '79990000000', name: 'Bench' }],
    });
  }
  // No phone confirms receipt here, and a channel without receipts would be paused.
  await world.pool.query(`update channels set first_messages_resumed_at = domain_now() + interval '1 day'`);
  return products;
}
