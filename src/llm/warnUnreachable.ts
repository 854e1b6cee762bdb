/** Warning at the start about model servers that the settings no longer reach. */
import type { AppContext } from '../platform/appContext.ts';
import { listBaseUrls } from './store.ts';

/**
 * Log each stored base URL of a model that is refused, with the reason. An upgrade from 1.0.0 may cause it, where
 * `RAPPORT_LLM_HOSTS` named hosts without ports. Such a host is not opened at other ports by itself: a member could
 * then try all its ports by base URLs.
 */
export async function warnUnreachable({
  reader,
  modelOutbound,
  log,
}: Pick<AppContext, 'reader' | 'modelOutbound' | 'log'>): Promise<void> {
  for (const { base_url: baseUrl, credentials } of await listBaseUrls(reader)) {
    const reason = modelOutbound.addressRefusal(baseUrl);
    if (reason === null) continue;
    // Only the host: a path may contain a key.
    const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : null;
    log.warn({ host, credentials, reason }, 'A model server is not reached under the present settings.');
  }
}
