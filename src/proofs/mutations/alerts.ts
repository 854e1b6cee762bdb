/** Mutations of alerts: one for each wait, to those whom it is for, and not at night. */
import type { MutationsByTest } from './mutation.ts';

const TEST = 'src/desk/alerts/alerts.test.ts';
const TABS_TEST = 'src/desk/pages/alerts/applyAlerts.test.ts';
const CLAIMS = 'src/desk/pages/alerts/alertClaims.ts';
const PUSHES = 'src/desk/alerts/store/pushes.ts';
const TRIGGER = 'migrations/functions/track_alert.sql';

export const ALERT_MUTATIONS: MutationsByTest = {
  [TEST]: {
    'An alert whose wait has ended is not withdrawn': {
      file: TRIGGER,
      change: ['set ended_at = clock_timestamp(), planned_at = null', 'set ended_at = clock_timestamp()'],
      failing: 'is withdrawn when somebody has seen to it',
    },
    'An alert does not end with its dialogue': {
      file: TRIGGER,
      change: [
        "create or replace trigger track_alert_removed after delete on dialogues for each row\n  when (old.inbox_state = 'needs_human')",
        "create or replace trigger track_alert_removed after delete on dialogues for each row\n  when (old.inbox_state = 'nothing')",
      ],
      failing: 'ends when its dialogue is deleted',
    },
    'An alert that was assigned stays with everybody': {
      file: PUSHES,
      change: [
        'a.ended_at is null and (a.assignee_id is null or a.assignee_id = s.operator_id)`',
        'a.ended_at is null`',
      ],
      failing: 'is withdrawn from others when it is assigned',
    },
    'Alerts are pushed in quiet hours': {
      file: 'src/desk/alerts/decidePush.ts',
      disabled: 'if (until !== null)',
      failing: 'waits for the end of quiet hours',
    },
    'Alerts are pushed to sessions that have expired': {
      file: 'src/desk/alerts/decidePush.ts',
      change: ['!isFor || !isAllowed || ', '!isFor || '],
      failing: 'is pushed to no session that has expired',
    },
    'Notifications show what leads write without being asked to': {
      file: 'src/desk/pushMessageContract.ts',
      change: ['withText && text !== null', 'text !== null'],
      failing: 'shows the words of the lead only to whoever wants that',
    },
    'Two instances push one alert': {
      file: PUSHES,
      change: [
        "<= clock_timestamp()) and ${isUnclaimed('p')}`;\n\nexport const ALERTS_DUE_IN",
        '<= clock_timestamp())`;\n\nexport const ALERTS_DUE_IN',
      ],
      failing: 'is left to the instance that has claimed it',
    },
    'Planning pushes and signing out lock in different orders': {
      file: PUSHES,
      removed: '  await sql`select from push_subscriptions order by endpoint_hash for key share`.execute(tx);\n',
      failing: 'is planned in the order in which a browser that signs out is forgotten',
    },
    'A browser that its push service does not know is called again and again': {
      file: 'src/desk/alerts/pushService.ts',
      disabled: 'if (status === 404 || status === 410)',
      failing: 'is not called again for this browser',
    },
    'A push that was refused for a while is given up': {
      file: 'src/desk/alerts/pushService.ts',
      change: ['if (status !== 429 && status < 500)', 'if (status < 600)'],
      failing: 'that refuses for a while',
    },
    'Anybody can have the server call any address as a push service': {
      file: 'src/desk/alerts/subscribe.ts',
      change: ['!isPushService(context, plain.endpoint) || ', ''],
      failing: 'is refused for what is no push service of a sandbox',
    },
  },
  [TABS_TEST]: {
    'Each tab shows and plays an alert': {
      disabled: 'if (!(await claimAlert(alert.id, { isRead: false })))',
      failing: 'is shown and played by one of two tabs',
    },
    'A claim of an alert is no claim for other tabs': {
      file: CLAIMS,
      change: ["isFirst = typeof at !== 'number' || ", "isFirst = typeof at === 'number' || "],
      failing: 'is shown and played by one of two tabs',
    },
    'A claim never expires, whoever made it': {
      file: CLAIMS,
      change: [' || Date.now() - at > CLAIM_LIFETIME_MS', ''],
      failing: 'although another installation at this address',
    },
    'An alert that has ended stays in a tab': {
      removed: '      void withdraw(data.id);\n',
      failing: 'withdrawn when it ends',
    },
    'An operator is alerted to the dialogue that they are reading': {
      disabled: 'if (isBeingRead(alert.dialogue_id))',
      failing: 'is shown by no tab while its dialogue is read',
    },
    'A tab in the background alerts to what is read in another': {
      removed: '    await claimAlert(alert.id, { isRead: true });\n',
      failing: 'is shown by no tab while its dialogue is read',
    },
    'A tab in which the dialogue is not read comes first': {
      file: CLAIMS,
      disabled: 'if (!isRead)',
      failing: 'is shown by no tab while its dialogue is read',
    },
    'A tab alerts in quiet hours': {
      disabled: 'if (quietUntil(settings.quiet_hours, now()) !== null)',
      failing: 'is neither shown nor played in quiet hours',
    },
    'A tab shows notifications that are off': {
      change: ['const isShown = settings.notifications && ', 'const isShown = '],
      failing: 'is played alone where notifications are off',
    },
    'A tab shows what is assigned to a colleague': {
      change: ['assignee === null || assignee === operatorId', 'true'],
      failing: 'is withdrawn when it is assigned to a colleague',
    },
    'A tab alerts to everything that waited before it was opened': {
      disabled: 'if (before === null)',
      failing: 'is caught up on after events were missed',
    },
    'A tab shows again what it has shown before': {
      change: ['if (alert.id > before) await raise(alert)', 'await raise(alert)'],
      failing: 'is caught up on after events were missed',
    },
    'What ended while events were missed stays in a tab': {
      change: ['/^alert-\\d+$/.test(tag) && !tags.has(tag)', 'false'],
      failing: 'is caught up on after events were missed',
    },
  },
  'src/desk/quietHours.test.ts': {
    'Quiet hours that pass midnight never begin': {
      change: ['now >= from || now < to', 'now >= from && now < to'],
      failing: '2026-03-02T05:00:00.000Z',
    },
  },
  'src/monitoring/attention.test.ts': {
    "The dashboard counts what is assigned to others as the operator's": {
      file: 'src/monitoring/store/attention.ts',
      change: ['coalesce(d.assignee_id, 0) not in (0, $2) as', '$2::bigint is null as'],
      failing: 'lists what is not fine',
    },
  },
};
