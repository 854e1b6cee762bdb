/** The system's page: each of its tabs. */
import { answer, button, change, check, openRowMenu, type PageCheck, press, role, shows, text } from './pageCheck.ts';

const TIME = '2026-01-02T03:04:05.000Z';
const JOB = {
  id: 1,
  task: 'deliver',
  key: 'deliver:12',
  state: 'failed',
  attempts: 3,
  max_attempts: 3,
  last_error: 'The vendor closed the connection',
  run_at: TIME,
  created_at: TIME,
  node: null,
  payload: 'dialogue 12',
};
const JOBS = { items: [JOB], total: 1, page: 1, limit: 25 };
const CONCURRENCY = { node: 'here', width: 8, lanes: [{ name: 'send 1', running: 8, waiting: 240 }] };

export const systemPageChecks: readonly PageCheck[] = [
  check('system', '', { ready: role('region', 'Vendors') }),
  check('system', 'for-admins', {
    stubs: [change('/v1/auth/validate', { role: 'member' })],
    ready: text('For admins only'),
  }),
  check('dashboard', 'system-hint', {
    stubs: [change('/v1/system/health', { level: 'bad' })],
    ready: role('link', 'Open System'),
  }),
  check('system', 'messages', { at: 'tab=messages' }),
  check('system', 'messages-retry', {
    at: 'tab=messages',
    act: [press('Retry all matching'), shows(button(/^Send \d+ again$/))],
  }),
  check('system', 'jobs', {
    at: 'tab=jobs',
    stubs: [answer('/v1/jobs/', JOBS), answer('/v1/jobs/lanes', CONCURRENCY)],
  }),
  check('system', 'audit', { at: 'tab=audit' }),
  check('system', 'audit-diff', {
    at: 'tab=audit&noun=operator&action=created',
    act: [openRowMenu('What changed'), shows(role('region', 'Changes'))],
  }),
  check('system', 'operators', { at: 'tab=operators' }),
  check('system', 'operators-form', { at: 'tab=operators', act: [press('New operator'), shows(role('dialog'))] }),
];
