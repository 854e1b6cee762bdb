import type { AppContext } from '../platform/appContext.ts';
import { RENEWALS_PER_LEASE } from '../platform/lease.ts';
import { registerInstance, sendHeartbeat, unregisterInstance } from './store/instances.ts';

/** Register this instance, send its heartbeats and renew its claims. Returns a function that unregisters the instance. */
export async function joinInstances(context: AppContext, version: string): Promise<() => Promise<void>> {
  await registerInstance(context, version);
  const heartbeat = setInterval(() => {
    sendHeartbeat(context).catch((error: unknown) => context.log.warn({ error: String(error) }, 'heartbeat missed'));
  }, context.config.heartbeatSeconds * 1000);
  const renewal = setInterval(
    () => {
      context.claims
        .renew()
        .catch((error: unknown) => context.log.warn({ error: String(error) }, 'claims not renewed'));
    },
    (context.config.leaseSeconds * 1000) / RENEWALS_PER_LEASE,
  );
  return async () => {
    clearInterval(heartbeat);
    clearInterval(renewal);
    await unregisterInstance(context);
  };
}
