import { expect, it } from 'vitest';
import { rollbackVersionOf } from './usePublishing.tsx';

it.each([
  ['of the live version', { version: 4, rollback_version: 2 }, 4, 2],
  ['of the first live version', { version: 4, rollback_version: null }, 4, null],
  ['before a version that was just saved', { version: 4, rollback_version: 2 }, 5, 4],
  ['that was just rolled back', { version: 4, rollback_version: 2 }, 2, null],
  ['of a prompt of which nothing is live', { version: 4, rollback_version: 2 }, null, null],
  ['that is not loaded', undefined, 5, null],
] as const)('a rollback by the last known publication, %s', (_what, publication, live, version) =>
  expect(rollbackVersionOf(publication, live)).toBe(version),
);
