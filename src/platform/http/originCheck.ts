/** Which origins count as our console's. */
import { type Config, isLoopback, type Mode } from '../config.ts';

/** Accept our own origin; in the sandbox, all names of this machine on our port count as one. */
export function originCheck(config: Config, mode: Mode): (origin: string) => boolean {
  const own = new URL(config.publicUrl);
  return (origin) => {
    if (origin === own.origin) return true;
    if (mode !== 'sandbox' || !URL.canParse(origin)) return false;
    const candidate = new URL(origin);
    return (
      candidate.origin === origin &&
      candidate.protocol === own.protocol &&
      isLoopback(candidate.hostname) &&
      isLoopback(own.hostname) &&
      candidate.port === own.port
    );
  };
}
