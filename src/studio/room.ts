/** How many samples may be made at once. Pure. */
import { MODEL_QUEUE } from '../products/product.ts';

/** A company's model that samples wait for. */
export interface WaitingModel {
  readonly company_id: number;
  readonly vendor: string;
  readonly model: string;
}

/** Samples that are made at once for a company's model, as a share of what may run at once for leads. */
const SHARE = 1 / 4;

/** Return the queue of samples for a company's model: not the one in which leads wait. */
export const queueOf = ({ company_id: company, vendor, model }: WaitingModel): string =>
  `studio ${company} ${vendor}/${model}`;

/**
 * Return how many samples each model may be asked for now: a share of what may run at once, and no more than what leads
 * leave free. Models without room are left out.
 *
 * @param running how many calls run or wait in each queue of this process
 */
export function roomsOf({
  concurrency,
  running,
  waiting,
}: {
  readonly concurrency: number;
  readonly running: ReadonlyMap<string, number>;
  readonly waiting: readonly WaitingModel[];
}): (WaitingModel & { readonly free: number })[] {
  return waiting
    .map((one) => {
      const ofLeads = running.get(`${MODEL_QUEUE}${one.company_id} ${one.vendor}/${one.model}`) ?? 0;
      const share = Math.min(Math.max(1, Math.floor(concurrency * SHARE)), concurrency - ofLeads);
      return { ...one, free: share - (running.get(queueOf(one)) ?? 0) };
    })
    .filter(({ free }) => free > 0);
}
