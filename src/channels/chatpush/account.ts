/** A ChatPush account as its channels: one for each messenger, with a session of its own. */
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

/** What the sessions' numbers mean, in the words that both vendors share. */
const WHATSAPP: readonly string[] = ['unauthorized', 'active'];
const TDLIB: readonly string[] = ['waitforphone', 'waitforcode', 'waitforpassword', 'active', 'qr', 'blocked'];

const TITLES: Readonly<Record<Routing, string>> = {
  whatsapp: 'WhatsApp',
  tdlib: 'Telegram',
  telegram: 'Telegram bot',
};

/** The channels of the account. Throws VendorRefused, or the network's error. */
export async function readChannels(vendor: VendorCall): Promise<VendorChannel[]> {
  const parsed = answer.safeParse(requireSuccess(await call(vendor, 'GET', '/account')));
  if (!parsed.success) throw new VendorRefused('UNREADABLE', "The vendor's answer about the account is unreadable");
  const { account } = parsed.data;
  return (['whatsapp', 'tdlib', 'telegram'] as const).flatMap((routing) => {
    const state = stateOf(account, routing);
    if (state === null) return [];
    const ref = channelRefOf(account.customer_id, routing);
    const title = `${TITLES[routing]}, account ${account.customer_id}`;
    // Which number a session belongs to the vendor does not tell.
    return [{ ref, title, address: null, state, transport: routing, type: MESSENGERS[routing] }];
  });
}

/** The state of one messenger; null where the account has none. */
function stateOf(account: Account, routing: Routing): string | null {
  const state = sessionOf(account, routing);
  // 'active' is the only word seen of a subscription that is paid.
  return state !== null && (account.subscription_status ?? 'active') !== 'active' ? 'notenoughmoney' : state;
}

function sessionOf(account: Account, routing: Routing): string | null {
  // A bot has no session: it is there or not.
  if (routing === 'telegram') return account.dispatch_routing?.includes(routing) ? 'active' : null;
  const number = routing === 'whatsapp' ? account.whatsapp_session : account.tdlib_session;
  if (number === null || number === undefined) return null;
  return (routing === 'whatsapp' ? WHATSAPP : TDLIB)[number] ?? `session ${number}`;
}
