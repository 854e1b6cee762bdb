/**
 * Where to call an amoCRM account. The host comes from a browser, so it is checked against the vendor's own domains.
 */
import type { AppContext } from '../../platform/appContext.ts';

/** One label under the vendor's domains; our secrets are never sent anywhere else. */
const VENDOR_HOST = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.(?:amocrm\.ru|amocrm\.com|kommo\.com)$/;

/** The host of the emulators; null in production. */
const emulatorHost = ({ mode, config }: Pick<AppContext, 'mode' | 'config'>): string | null =>
  mode === 'sandbox' ? new URL(config.vendorUrls.amocrm).host : null;

/** Return the host if secrets may be sent there; otherwise null. */
export function allowedHost(context: Pick<AppContext, 'mode' | 'config'>, referer: string): string | null {
  return VENDOR_HOST.test(referer) || referer === emulatorHost(context) ? referer : null;
}

/**
 * Return the URL of an account, without a trailing slash. Throws on a host that is not allowed, which would be a bug.
 */
export function accountUrl(context: Pick<AppContext, 'mode' | 'config'>, host: string): string {
  if (allowedHost(context, host) === null) throw new Error('Not a host of amoCRM');
  return host === emulatorHost(context) ? new URL(context.config.vendorUrls.amocrm).origin : `https://${host}`;
}
