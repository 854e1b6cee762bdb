/** ChatPush's webhooks. An account may have several, so ours coexists with those of others. */
import { z } from 'zod';
import type { VendorCall } from '../driver.ts';
import { call, requireSuccess } from './wire.ts';

/** The events we subscribe to; MAX, calls and MAX bots are not supported. */
const HOOK_EVENTS = [
  'whatsapp_incoming_msg',
  'tdlib_incoming_msg',
  'telegram_bot_incoming_msg',
  'whatsapp_status_msg',
  'whatsapp_log_in',
  'whatsapp_log_out',
];

const list = z.object({
  webhooks: z.array(z.object({ id: z.coerce.string(), url: z.string(), types: z.array(z.string()).catch([]) })),
});

async function readWebhooks(vendor: VendorCall): Promise<z.output<typeof list>['webhooks']> {
  const parsed = list.safeParse(requireSuccess(await call({ vendor, method: 'GET', path: '/webhooks' })));
  return parsed.success ? parsed.data.webhooks : [];
}

/** Return `ours` if it is registered for every event we need, else null. Addresses of others do not conflict. */
export async function readHookAddress(vendor: VendorCall, ours: string): Promise<string | null> {
  const isRegistered = (await readWebhooks(vendor)).some(
    ({ url, types }) => url === ours && HOOK_EVENTS.every((type) => types.includes(type)),
  );
  return isRegistered ? ours : null;
}

/**
 * Register our address. Registering twice would create two webhooks, so an existing one of ours is updated, including
 * one from an earlier address of this server or with an earlier secret. Further ones of ours are removed.
 */
export async function registerHook(
  vendor: VendorCall,
  address: string,
  isOurs: (address: string) => boolean,
): Promise<void> {
  const form = [['url', address] as const, ...HOOK_EVENTS.map((type) => ['types[]', type] as const)];
  const [existing, ...others] = (await readWebhooks(vendor))
    .filter(({ url }) => url === address || isOurs(url))
    .toSorted((one, other) => Number(other.url === address) - Number(one.url === address));
  if (!existing) {
    requireSuccess(await call({ vendor, method: 'POST', path: '/webhooks', form }));
    return;
  }
  const path = `/webhooks/${encodeURIComponent(existing.id)}`;
  const answer = await call({ vendor, method: 'PUT', path, form });
  if (answer.status === 404 || answer.status === 405)
    requireSuccess(await call({ vendor, method: 'PATCH', path, form }));
  else requireSuccess(answer);
  for (const { id } of others) await call({ vendor, method: 'DELETE', path: `/webhooks/${encodeURIComponent(id)}` });
}
