/** Where an amoCRM account is called. The host comes from a browser, so it is held against the vendor's own domains. */
import type { Ground } from '../../platform/ground.ts';

/** One label under the vendor's domains; nothing else ever gets a secret of ours. */
const OF_THE_VENDOR = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.(?:amocrm\.ru|amocrm\.com|kommo\.com)$/;

/** The emulators' host; null in production. */
const emulated = ({ mode, config }: Pick<Ground, 'mode' | 'config'>): string | null =>
  mode === 'sandbox' ? new URL(config.vendorUrls.amocrm).host : null;

/** The host as given, when a secret may be sent there; null: it may not. */
export function allowedHost(ground: Pick<Ground, 'mode' | 'config'>, referer: string): string | null {
  return OF_THE_VENDOR.test(referer) || referer === emulated(ground) ? referer : null;
}

/** The address of an account, without a trailing slash. Throws on a host that is not allowed: a mistake in the program. */
export function accountUrl(ground: Pick<Ground, 'mode' | 'config'>, host: string): string {
  if (allowedHost(ground, host) === null) throw new Error('Not a host of amoCRM');
  return host === emulated(ground) ? new URL(ground.config.vendorUrls.amocrm).origin : `https://${host}`;
}
