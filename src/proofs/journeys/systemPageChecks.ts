/** The system's page: each of its tabs. */
import { button, role, text } from './find.ts';
import { check, type PageCheck } from './pageCheck.ts';
import { openRowMenu, press, shows } from './steps.ts';
import { answer, change } from './stubs.ts';

export const systemPageChecks: readonly PageCheck[] = [
  check('system', '', { ready: role('region', 'Vendors') }),
  check('system', 'for-admins', {
    stubs: [change('/v1/auth/validate', { role: 'member' })],
    ready: text('For admins only'),
  }),
  check('dashboard', 'system-hint', {
    stubs: [change('/v1/system/health', { level: 'bad' }), answer('/v1/reports/attention', { items: [] })],
    ready: role('link', 'Open System'),
  }),
  check('system', 'messages', { at: 'tab=messages' }),
  check('system', 'messages-retry', {
    at: 'tab=messages',
    act: [press('Retry all matching'), shows(button(/^Send \d+ again$/))],
  }),
  check('system', 'audit', { at: 'tab=audit' }),
  check('system', 'audit-diff', {
    at: 'tab=audit&noun=operator&action=created',
    act: [openRowMenu('What changed'), shows(role('region', 'Changes'))],
  }),
  check('system', 'operators', { at: 'tab=operators' }),
  check('system', 'operators-form', { at: 'tab=operators', act: [press('New operator'), shows(role('dialog'))] }),
];
