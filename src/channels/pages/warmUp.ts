import type { Channel, Ramp } from '../contract.ts';

/** The channel's config with this ramp, all else in it kept; null: with none. */
export function configWithRamp({ ramp: _before, ...rest }: Channel['config'], ramp: Ramp | null): Channel['config'] {
  return ramp === null ? rest : { ...rest, ramp };
}
