/** Texts of the bulk actions on leads. */
import { formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import type { BulkAction, BulkCount } from '../bulkContract.ts';
import { botStoppedStages } from '../contract.ts';
import { stageLabel } from './shared/stage.tsx';

export const leadCount = (count: number): string =>
  t('{{count, number}} leads', { count, defaultValue_one: '{{count}} lead' });

export function dialogTitle(action: BulkAction): string {
  switch (action.kind) {
    case 'delete':
      return t('Delete');
    case 'deactivate':
      return t('Deactivate');
    case 'change_stage':
      return t('Change stage');
    case 'change_tags':
      return t('Change tags');
    case 'set_owner':
      return t('Set owner');
    default:
      return action satisfies never;
  }
}

export function submitLabel(action: BulkAction, affected: number | undefined): string {
  if (affected === undefined) return dialogTitle(action);
  const what = leadCount(affected);
  switch (action.kind) {
    case 'delete':
      return t('Delete {{what}}', { what });
    case 'deactivate':
      return t('Deactivate {{what}}', { what });
    case 'change_stage':
      return t('Move {{what}}', { what });
    case 'change_tags':
    case 'set_owner':
      return t('Change {{what}}', { what });
    default:
      return action satisfies never;
  }
}

export function doneText(action: BulkAction, affected: number): string {
  const what = leadCount(affected);
  switch (action.kind) {
    case 'delete':
      return t('Deleted {{what}}', { what });
    case 'deactivate':
      return t('Deactivated {{what}}', { what });
    case 'change_stage':
      return t('Moved {{what}} to {{stage}}', { what, stage: stageLabel(action.new_stage) });
    case 'change_tags':
    case 'set_owner':
      return t('Changed {{what}}', { what });
    default:
      return action satisfies never;
  }
}

/** Describe the effects of the action in sentences, with counts. */
export function describeConsequences(action: BulkAction, count: BulkCount): string {
  if (action.kind === 'delete')
    return t('This also deletes {{contacts}}, {{dialogues}} and {{messages}}.', {
      contacts: t('{{count, number}} contacts', { count: count.contacts, defaultValue_one: '1 contact' }),
      dialogues: t('{{count, number}} dialogues', { count: count.dialogues, defaultValue_one: '1 dialogue' }),
      messages: t('{{count, number}} messages', { count: count.messages, defaultValue_one: '1 message' }),
    });
  const numbers = { affected: formatNumber(count.affected), count: count.leads };
  if (action.kind === 'change_tags' || action.kind === 'set_owner')
    return t('{{affected}} of {{count, number}} leads change.', {
      ...numbers,
      defaultValue_one: '{{affected}} of 1 lead changes.',
    });
  const same = { count: count.leads - count.affected };
  const [effect, unchanged] = stageEffects(action, { ...numbers, same: same.count });
  const stopsBot = action.kind === 'deactivate' || botStoppedStages.includes(action.new_stage);
  const cancelled = t('{{count, number}} scheduled bot messages are cancelled.', {
    count: count.waiting,
    defaultValue_one: 'One scheduled bot message is cancelled.',
  });
  return [effect, ...(same.count > 0 ? [unchanged] : []), ...(stopsBot && count.waiting > 0 ? [cancelled] : [])].join(
    ' ',
  );
}

function stageEffects(
  action: Extract<BulkAction, { kind: 'change_stage' | 'deactivate' }>,
  { affected, count, same }: { affected: string; count: number; same: number },
): readonly [effect: string, unchanged: string] {
  if (action.kind === 'deactivate')
    return [
      t('The bot stops writing to {{affected}} of {{count, number}} leads.', {
        affected,
        count,
        defaultValue_one: 'The bot stops writing to {{affected}} of 1 lead.',
      }),
      t('{{count, number}} are already inactive.', { count: same, defaultValue_one: 'One is already inactive.' }),
    ];
  return [
    t('{{affected}} of {{count, number}} leads move to {{stage}}.', {
      affected,
      count,
      defaultValue_one: '{{affected}} of 1 lead moves to {{stage}}.',
      stage: stageLabel(action.new_stage),
    }),
    t('{{count, number}} are already there.', { count: same, defaultValue_one: 'One is already there.' }),
  ];
}
