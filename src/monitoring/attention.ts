/** Collects what needs the attention of a company's operators, and rates it by the rules of the System page. */
import type pg from 'pg';
import type { AttentionItem } from './attentionContract.ts';
import { channelStates, countFailures, countWaiting } from './store/attention.ts';
import {
  levelOf,
  levelOfChannel,
  levelOfIntegrations,
  levelOfLateElsewhere,
  levelOfWaiting,
  worst,
} from './thresholds.ts';

/** Return what is not fine, the worst first. */
export async function readAttentionItems(
  pool: pg.Pool,
  { companyId, operatorId }: { companyId: number; operatorId: number },
): Promise<AttentionItem[]> {
  const waiting = await countWaiting(pool, companyId, operatorId);
  const lateOfOthers = waiting.reduce((sum, { isOthers, late }) => sum + (isOthers ? late : 0), 0);
  const channels = (await channelStates(pool, companyId)).map(levelOfChannel).filter((level) => level !== 'fine');
  const { disconnected, failed, unconfirmed } = await countFailures(pool, companyId);
  const items: AttentionItem[] = [
    ...waiting
      .filter(({ isOthers }) => !isOthers)
      .map(({ attention, count, late }) => {
        return { kind: 'waiting', attention, count, level: levelOfWaiting({ count, late }) } as const;
      }),
    { kind: 'late_with_colleagues', attention: null, count: lateOfOthers, level: levelOfLateElsewhere(lateOfOthers) },
    { kind: 'channels', attention: null, count: channels.length, level: worst(channels) },
    { kind: 'integrations', attention: null, count: disconnected, level: levelOfIntegrations(disconnected) },
    { kind: 'failed', attention: null, count: failed, level: levelOf('messages_failed', failed) },
    { kind: 'unconfirmed', attention: null, count: unconfirmed, level: levelOf('messages_unconfirmed', unconfirmed) },
  ];
  return [...items.filter(({ level }) => level === 'bad'), ...items.filter(({ level }) => level === 'look')];
}
