/** What a replay has found, as it is stored and as the API shows it. Pure. */
import { z } from 'zod';
import { rateOf } from '../../outcomes/funnel.ts';
import type { StoredResult } from '../run.ts';
import { changeKinds, type RunVerdict, studioResult } from '../runContract.ts';

export const replayResult = studioResult.pick({ change: true, diverged: true, judged: true });
export type ReplayResult = z.output<typeof replayResult>;

const storedVerdict = z.object({ with_judge: z.boolean() });

/** Count turns up to the first that changed in each dialogue: beyond it, nothing is known. */
export function replayVerdict(verdict: unknown, subjects: readonly StoredResult[]): RunVerdict {
  const results = subjects.map(({ state, result }) => ({ state, ...replayResult.parse(result) }));
  const compared = results.filter(({ state, diverged }) => !diverged && state !== 'missing');
  const changed = compared.filter(({ state }) => state === 'changed');
  const { low, high } = rateOf(changed.length, compared.length);
  const judged = (wanted: ReplayResult['judged']): number => changed.filter((one) => one.judged === wanted).length;
  return {
    kind: 'replay',
    changed: { count: changed.length, total: compared.length, low, high },
    by_kind: changeKinds.flatMap((kind) => {
      const turns = changed.filter(({ change }) => change?.kinds.includes(kind)).length;
      return turns === 0 ? [] : [{ kind, turns }];
    }),
    judged: storedVerdict.parse(verdict).with_judge
      ? { better: judged('better'), worse: judged('worse'), tie: judged('tie') }
      : null,
  };
}
