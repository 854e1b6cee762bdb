import type { AppContext } from '../platform/appContext.ts';
import { registerInstance, sendHeartbeat, unregisterInstance } from './store/instances.ts';

/**
 * Register this instance and send its heartbeats. `lockedBy` names the runner whose jobs it runs. Returns a function
 * that unregisters the instance.
 */
export async function joinInstances(
  context: AppContext,
  version: string,
  lockedBy: () => string | null,
): Promise<() => Promise<void>> {
  await registerInstance(context, version);
  const heartbeat = setInterval(() => {
    sendHeartbeat(context, lockedBy()).catch((error: unknown) =>
      context.log.warn({ error: String(error) }, 'heartbeat missed'),
    );
  }, context.config.heartbeatSeconds * 1000);
  return async () => {
    clearInterval(heartbeat);
    await unregisterInstance(context);
  };
}
