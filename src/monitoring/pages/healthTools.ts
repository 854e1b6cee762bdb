/** The assistant's view of the installation's health. */
import { readJobQueues } from '../../jobs/contract.ts';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { NO_ARGUMENTS, pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';
import { type Level, readSystemHealth, type SystemHealth } from '../contract.ts';
import { figureWords } from './healthWords.ts';

export function healthTools(): ToolWithHandler[] {
  return [
    pageTool({
      name: 'check_system_health',
      description: t('Checks the health of the installation again: everything that needs attention, with what to do.'),
      input: NO_ARGUMENTS,
      run: async () => describeHealth(await call(readSystemHealth)),
    }),
    pageTool({
      name: 'show_lanes',
      description: t('Running and waiting calls of each model and messenger.'),
      input: NO_ARGUMENTS,
      run: () => call(readJobQueues),
    }),
  ];
}

/** Describe the health for the assistant: everything that is not fine, and the figures. */
export function describeHealth({
  level,
  figures,
  nodes,
  vendors,
  models,
  sweeps,
  without_owner,
}: SystemHealth): object {
  const wrong = <T extends { level: Level }>(all: readonly T[]) => all.filter((one) => one.level !== 'fine');
  return {
    level,
    not_fine: {
      figures: wrong(figures).map(({ key, value }) => ({ key, value, advice: figureWords[key].advice })),
      nodes: wrong(nodes).map(({ name, beat_seconds }) => ({ name, beat_seconds })),
      vendors: wrong(vendors).map(({ vendor, account_id, last_error, rest_reason }) => ({
        vendor,
        account_id,
        last_error,
        rest_reason,
      })),
      channels_without_owner: without_owner.map(({ kind, channel_id, name, used_by }) => ({
        kind,
        channel_id,
        name,
        used_by,
      })),
      models: wrong(models),
      sweeps: wrong(sweeps),
    },
    figures: Object.fromEntries(figures.map(({ key, value }) => [key, Math.round(value * 10) / 10])),
  };
}
