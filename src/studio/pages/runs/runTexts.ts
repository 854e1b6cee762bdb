/** Sentences about a run. */
import { formatDollars, formatNumber } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import type { RunKind, StudioRun } from '../../runContract.ts';

/** The candidate of a run: `version 6`, or `unsaved text`. */
export const versionText = ({ version }: Pick<StudioRun, 'version'>): string =>
  version === null ? t('unsaved text') : t('version {{version}}', { version });

/** What a kind of run does, for the operator who chooses one. */
export function kindExplanation(kind: RunKind): string {
  const texts: Readonly<Record<RunKind, string>> = {
    gate: t('Answers your test cases with the new text and with the live one, and says which cases fail.'),
    replay: t(
      'Answers each turn of real dialogues again, from what the leads really wrote, and shows where the answers change.',
    ),
    classification: t('Names the stage of real dialogues again, and compares it with what became of the leads.'),
    simulation: t('Lets simulated leads talk with the bot through the whole engine, and checks every answer.'),
  };
  return texts[kind];
}

/** What a run tries: `30 test cases`. */
export function subjectsText(kind: RunKind, count: number): string {
  const texts: Readonly<Record<RunKind, string>> = {
    gate: t('{{count}} test cases', { count, defaultValue_one: '{{count}} test case' }),
    replay: t('{{count}} answers', { count, defaultValue_one: '{{count}} answer' }),
    classification: t('{{count}} dialogues', { count, defaultValue_one: '{{count}} dialogue' }),
    simulation: t('{{count}} simulated leads', { count, defaultValue_one: '{{count}} simulated lead' }),
  };
  return texts[kind];
}

/** What a run costs: `30 test cases, 180 calls of the model, about $0.42`. */
export function estimateText(kind: RunKind, { calls, cost, subjects }: StudioRun['estimate']): string {
  const parts = [
    subjectsText(kind, subjects),
    t('{{calls}} calls of the model', { calls: formatNumber(calls) }),
    cost === null ? t('price unknown') : t('about {{cost}}', { cost: formatDollars(cost) }),
  ];
  return parts.join(', ');
}
