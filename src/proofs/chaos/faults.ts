/** Faults of messengers and of their hooks. None loses a hook for good. */
import type { Fault } from '../../sandbox/emulators/contract.ts';

const faultsOfVendor = (vendor: 'wazzup24' | 'chatpush'): Fault[] => [
  { kind: `${vendor}.lose_answer`, probability: 0.05 },
  { kind: `${vendor}.fail_before`, probability: 0.04 },
  { kind: `${vendor}.fail_after`, probability: 0.04 },
  { kind: `${vendor}.rate_limited`, probability: 0.06 },
  { kind: `${vendor}.rubbish`, probability: 0.02, after: true },
  { kind: `${vendor}.delay`, probability: 0.08, ms: 400, after: true },
  { kind: `${vendor}.status_first`, probability: 0.1 },
  { kind: `${vendor}.statuses_reordered`, probability: 0.2 },
];

export const MESSENGER_FAULTS: readonly Fault[] = [
  ...faultsOfVendor('wazzup24'),
  ...faultsOfVendor('chatpush'),
  { kind: 'hooks.duplicate', probability: 0.2, copies: 2 },
  { kind: 'hooks.shuffle', probability: 0.15, size: 4, ms: 150 },
  { kind: 'hooks.mix', probability: 0.1, ms: 100 },
  { kind: 'hooks.fail', probability: 0.1 },
];
