/** The system's page: each of its tabs, with rows and without. */
import {
  answer,
  change,
  check,
  dialog,
  failCalls,
  openRowMenu,
  type PageCheck,
  press,
  role,
  shows,
  text,
  within,
} from './pageCheck.ts';

const JOBS = {
  items: [
    {
      id: 1,
      task: 'deliver',
      key: 'deliver:12',
      state: 'failed',
      attempts: 3,
      max_attempts: 3,
      last_error: 'The vendor closed the connection',
      run_at: '2026-01-02T03:04:05.000Z',
      created_at: '2026-01-02T03:04:05.000Z',
      node: null,
      payload: 'dialogue 12',
    },
  ],
  total: 1,
  page: 1,
  limit: 25,
};
const CONCURRENCY = { node: 'here', width: 8, lanes: [{ name: 'send 1', running: 8, waiting: 240 }] };
const HEALTH = '/v1/system/health';
const jobs = answer('/v1/jobs/', JOBS);

export const systemPageChecks: readonly PageCheck[] = [
  check('system', '', { ready: role('region', 'Vendors') }),
  check('system', 'health-failed', { stubs: [failCalls(HEALTH)], ready: role('alert') }),
  check('system', 'for-admins', {
    stubs: [change('/v1/auth/validate', { role: 'member' })],
    ready: text('For admins only'),
  }),
  check('dashboard', 'system-hint', {
    stubs: [change(HEALTH, { level: 'bad' })],
    ready: role('link', 'Open System'),
  }),
  check('system', 'messages', { at: 'tab=messages' }),
  check('system', 'messages-retry', {
    at: 'tab=messages',
    act: [
      press('Retry all matching'),
      shows(within(dialog('Send again'), (again) => again.getByRole('button', { name: /^Send \d+ again$/ }))),
    ],
  }),
  check('system', 'messages-empty', {
    at: 'tab=messages&search=nobody+said+this',
    ready: text('No messages found'),
  }),
  check('system', 'jobs', { at: 'tab=jobs', stubs: [jobs, answer('/v1/jobs/lanes', CONCURRENCY)] }),
  check('system', 'jobs-empty', { at: 'tab=jobs&search=no+such+job', ready: text('No jobs found') }),
  check('system', 'jobs-remove', {
    at: 'tab=jobs',
    stubs: [jobs],
    act: [openRowMenu('Remove'), shows(dialog('Remove deliver:12'))],
  }),
  check('system', 'audit', { at: 'tab=audit' }),
  check('system', 'audit-diff', {
    at: 'tab=audit&noun=operator&action=created',
    act: [
      openRowMenu('What changed'),
      shows(within(dialog('What changed'), (changed) => changed.getByRole('region', { name: 'Changes' }))),
    ],
  }),
  check('system', 'audit-empty', {
    at: 'tab=audit&search=nothingofthekind',
    ready: text('No entries of the trail found'),
  }),
  check('system', 'operators', { at: 'tab=operators' }),
  check('system', 'operators-form', {
    at: 'tab=operators',
    act: [press('New operator'), shows(within(dialog('New operator'), (form) => form.getByLabel(/^Password/)))],
  }),
  check('system', 'operators-empty', {
    at: 'tab=operators&is_active=false',
    ready: text('No operators found'),
  }),
];
