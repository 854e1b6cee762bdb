/**
 * Named points on the path of a message at which a test can kill the process, as a power cut would. A process that has
 * not preloaded `testing/failpoints.ts` passes them without effect, whatever its environment says.
 */
import { channel } from 'node:diagnostics_channel';

const passes = channel('rapport.failpoint');

export function failpoint(name: string): void {
  if (passes.hasSubscribers) passes.publish(name);
}
