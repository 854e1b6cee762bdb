/** Ends experiments: stops them, and lets operators and other systems know. */
import { endNotice, raiseNotice } from '../desk/alerts/notices.ts';
import type { Tx } from '../platform/db.ts';
import { ids } from '../platform/ids.ts';
import { publishEvent } from '../webhooks/publishEvent.ts';
import type { Experiment, ExperimentEnd } from './experimentContract.ts';
import { readArmTotals, setStopped } from './store/experiments.ts';

interface End {
  readonly end: ExperimentEnd;
  /** A sentence. */
  readonly conclusion: string;
  /** The operator who stopped it; null: it stopped itself. */
  readonly by: string | null;
  /** Address of the console. */
  readonly publicUrl: string;
}

const noticeKey = (id: number): string => `experiment ${id} has ended`;

const pageOf = (id: number): string => `/?page=experiment-detail&experimentId=${id}`;

/** Stop a locked experiment. An operator who stops it needs no notice. */
export async function endExperiment(
  tx: Tx,
  experiment: Experiment,
  { end, conclusion, by, publicUrl }: End,
): Promise<void> {
  const { id, product_id: productId, name, kind, metric, days } = experiment;
  await setStopped(tx, { id, by, end, conclusion });
  const url = pageOf(id);
  if (by === null)
    await raiseNotice(tx, {
      productId,
      key: noticeKey(id),
      title: `Experiment “${name}” has ended`,
      text: conclusion.charAt(0).toUpperCase() + conclusion.slice(1),
      url,
    });
  const { totals } = await readArmTotals(tx, experiment);
  await publishEvent(tx, {
    type: 'experiment.ended',
    productId,
    id: ids.next(),
    key: `experiment.ended:${id}`,
    data: {
      product_id: productId,
      experiment_id: id,
      name,
      kind,
      metric,
      days,
      end,
      conclusion,
      arms: totals.map(({ arm, finished, successes }) => ({
        name: experiment.arms[arm]?.name ?? '',
        counted: finished,
        successes,
      })),
      url: new URL(url, publicUrl).href,
    },
  });
}

/** Withdraw the notice of an experiment whose arm somebody has applied. */
export const withdrawEndNotice = (tx: Tx, id: number): Promise<void> => endNotice(tx, noticeKey(id));
