/** Describes what a deletion removes, with counts. */
import { dialogues } from '../../conversations/contract.ts';
import { studioCases } from '../../studio/caseContract.ts';
import { listJudgePairs } from '../../studio/judgeContract.ts';
import { call } from '../../ui/api.ts';
import { countRowsOf } from '../../ui/fetchAllRows.ts';
import { t } from '../../ui/i18n.ts';
import { contacts, type Lead } from '../contract.ts';

/** Describe in a sentence what is deleted with a lead. */
export async function leadCascadeCounts({
  id,
  product_id: productId,
}: Pick<Lead, 'id' | 'product_id'>): Promise<string> {
  const [contactCount, dialogueCount, cases, pairs] = await Promise.all([
    countRowsOf(contacts.list, 'lead_id', [id]),
    countRowsOf(dialogues.list, 'lead_id', [id]),
    countRowsOf(studioCases.list, 'lead_id', [id]),
    call(listJudgePairs, { query: { product_id: productId, lead_id: id, limit: 1 } }).then(({ total }) => total ?? 0),
  ]);
  const what = [
    t('{{count}} contacts', { count: contactCount, defaultValue_one: '{{count}} contact' }),
    t('{{count}} dialogues with their messages', {
      count: dialogueCount,
      defaultValue_one: '{{count}} dialogue with its messages',
    }),
    // What the prompt studio holds of the lead's words.
    cases > 0 && t('{{count}} test cases', { count: cases, defaultValue_one: '{{count}} test case' }),
    pairs > 0 && t('{{count}} pairs for the judge', { count: pairs, defaultValue_one: '{{count}} pair for the judge' }),
  ].filter((one) => one !== false);
  return t('Also deleted: {{what}}, and its events.', { what: what.join(', ') });
}

/** Describe in a sentence what is deleted with contacts; null if nothing else is. */
export async function contactCascadeCounts(ids: readonly number[]): Promise<string | null> {
  const count = await countRowsOf(dialogues.list, 'contact_id', ids);
  if (count === 0) return null;
  return t('Also deleted: {{count}} dialogues with their messages.', {
    count,
    defaultValue_one: 'Also deleted: {{count}} dialogue with its messages.',
  });
}
