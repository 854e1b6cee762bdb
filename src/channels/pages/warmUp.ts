import type { Channel, Ramp } from '../contract.ts';

/** Return the channel's config with this ramp and all other keys unchanged; null removes the ramp. */
export function configWithRamp({ ramp: _before, ...rest }: Channel['config'], ramp: Ramp | null): Channel['config'] {
  return ramp === null ? rest : { ...rest, ramp };
}
