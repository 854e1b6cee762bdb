/** The parts that the emulated messengers share. */
import type { Core } from './core.ts';
import type { Hooks } from './wazzup24/hooks.ts';

export interface Parts extends Core {
  hooks: Hooks;
}
