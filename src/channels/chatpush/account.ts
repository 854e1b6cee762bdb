/** Reads a ChatPush account as its channels: one per messenger, each with its own session. */
import { z } from 'zod';
import { type VendorCall, type VendorChannel, VendorRefused } from '../driver.ts';
import { call, channelRefOf, MESSENGERS, type Routing, requireSuccess } from './wire.ts';

const session = z.coerce.number().nullish().catch(null);
const answer = z.object({
  account: z.object({
    customer_id: z.coerce.string().min(1).max(40),
    dispatch_routing: z.array(z.string()).nullish().catch(null),
    subscription_status: z.string().nullish().catch(null),
    whatsapp_session: session,
    tdlib_session: session,
  }),
});
type Account = z.output<typeof answer>['account'];

/** Maps the vendor's session numbers to the state words that both vendors share. */
const WHATSAPP: readonly string[] = ['unauthorized', 'active'];
const TDLIB: readonly string[] = ['waitforphone', 'waitforcode', 'waitforpassword', 'active', 'qr', 'blocked'];

const TITLES: Readonly<Record<Routing, string>> = {
  whatsapp: 'WhatsApp',
  tdlib: 'Telegram',
  telegram: 'Telegram bot',
};

/** List the channels of the account. Throws VendorRefused, or the network's error. */
export async function readChannels(vendor: VendorCall): Promise<VendorChannel[]> {
  const parsed = answer.safeParse(requireSuccess(await call({ vendor, method: 'GET', path: '/account' })));
  if (!parsed.success) throw new VendorRefused('UNREADABLE', "The vendor's answer about the account is unreadable");
  const { account } = parsed.data;
  return (['whatsapp', 'tdlib', 'telegram'] as const).flatMap((routing) => {
    const state = stateOf(account, routing);
    if (state === null) return [];
    const ref = channelRefOf(account.customer_id, routing);
    const title = `${TITLES[routing]}, account ${account.customer_id}`;
    // The vendor does not report which phone number a session belongs to.
    return [{ ref, title, address: null, state, transport: routing, type: MESSENGERS[routing] }];
  });
}

/** Return the state of one messenger; null if the account does not have it. */
function stateOf(account: Account, routing: Routing): string | null {
  const state = sessionOf(account, routing);
  // 'active' is the only word observed for a paid subscription.
  return state !== null && (account.subscription_status ?? 'active') !== 'active' ? 'notenoughmoney' : state;
}

function sessionOf(account: Account, routing: Routing): string | null {
  // A bot has no session: it either exists or does not.
  if (routing === 'telegram') return account.dispatch_routing?.includes(routing) ? 'active' : null;
  const number = routing === 'whatsapp' ? account.whatsapp_session : account.tdlib_session;
  if (number === null || number === undefined) return null;
  return (routing === 'whatsapp' ? WHATSAPP : TDLIB)[number] ?? `session ${number}`;
}
