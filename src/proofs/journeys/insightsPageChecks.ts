/** Insights in each of its views, the attempts behind a number, and the weekly report. */
import { role, text } from './find.ts';
import { check, type PageCheck } from './pageCheck.ts';
import { press, shows } from './steps.ts';

const FROM = 'started_from=2020-01-01';
const VIEWS = ['first-texts', 'follow-ups', 'prompts', 'channels', 'times', 'people', 'refusals', 'spending'];
const summary = role('region', 'Summary');

export const insightsPageChecks: readonly PageCheck[] = [
  check('insights', '', { at: '', ready: summary }),
  ...VIEWS.map((key) => check('insights', key, { at: `${FROM}&view=${key}`, ready: summary })),
  check('insights', 'empty', {
    at: 'started_from=2020-01-01&started_to=2020-01-02',
    ready: text('No attempts in this range'),
  }),
  check('insights', 'filter', {
    at: FROM,
    ready: summary,
    act: [press('Prompt version'), shows(role('radio', /version/))],
  }),
  check('insights-attempts', '', { at: `${FROM}&reached=answered&list_size=10` }),
  check('insights-report', '', { at: '', ready: summary }),
];
