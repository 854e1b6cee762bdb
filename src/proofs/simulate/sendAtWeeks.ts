/**
 * Weeks of first messages, as data: what an operator sets up and changes, and when each message leaves. The expected times
 * were worked out by hand. Times are UTC, from the Friday on which a week begins.
 */
import type { SimulatedSettings } from './product.ts';

/** `Fri 08:00`: an instant of the week that begins on a Friday. */
export type WeekTime = `${'Fri' | 'Sat' | 'Sun' | 'Mon' | 'Tue' | 'Wed' | 'Thu'} ${string}`;

export interface SendAtSettings {
  /** First messages by WhatsApp in a day; 0: none. */
  readonly limit: number;
  /** On the product's clock. */
  readonly sendAt: string;
  readonly intervalSeconds: number;
  readonly isPaused: boolean;
  /** The zone of the default schedule, Monday to Friday from 09:00 to 18:00; null: no restrictions. */
  readonly schedule: string | null;
}

export interface SendAtWeek {
  readonly what: string;
  /** The product's time zone. */
  readonly zone: string;
  readonly settings: SendAtSettings;
  /** Leads in the order of their creation, all of them on WhatsApp. */
  readonly leads: readonly { readonly at: WeekTime; readonly zone?: string }[];
  readonly changes: readonly { readonly at: WeekTime; readonly to: Partial<SendAtSettings> }[];
  /** When each first message leaves, in their order. */
  readonly expected: readonly WeekTime[];
  /** Set for a week in which Europe's clocks change on Sunday. */
  readonly isSpring?: true;
}

const SETTINGS: SendAtSettings = { limit: 2, sendAt: '10:30', intervalSeconds: 0, isPaused: false, schedule: null };
const leadsAt = (count: number, at: WeekTime, zone?: string) =>
  Array.from({ length: count }, () => ({ at, ...(zone === undefined ? {} : { zone }) }));

/** Default schedule as the settings of a month have it. */
export const DEFAULT_WEEK: SimulatedSettings['days'] = [0, 1, 2, 3, 4, 5, 6].map((day) =>
  day < 5 ? { start: '09:00', end: '18:00' } : null,
);

export const SEND_AT_WEEKS: readonly SendAtWeek[] = [
  {
    what: 'Left over by the limit',
    zone: 'UTC',
    settings: SETTINGS,
    leads: leadsAt(5, 'Fri 08:00'),
    changes: [],
    expected: ['Fri 10:30', 'Fri 10:30', 'Sat 10:30', 'Sat 10:30', 'Sun 10:30'],
  },
  {
    what: 'Send at moved to 15:14, saved at 10:14',
    zone: 'UTC',
    settings: SETTINGS,
    leads: leadsAt(4, 'Fri 08:00'),
    changes: [{ at: 'Sat 10:14', to: { sendAt: '15:14' } }],
    expected: ['Fri 10:30', 'Fri 10:30', 'Sat 15:14', 'Sat 15:14'],
  },
  {
    what: 'First messages switched on at 10:14 for 15:14',
    zone: 'UTC',
    settings: { ...SETTINGS, limit: 0 },
    leads: leadsAt(2, 'Fri 08:00'),
    changes: [{ at: 'Sun 10:14', to: { limit: 5, sendAt: '15:14' } }],
    expected: ['Sun 15:14', 'Sun 15:14'],
  },
  {
    what: 'A limit raised at 22:00',
    zone: 'UTC',
    settings: { ...SETTINGS, limit: 1 },
    leads: leadsAt(4, 'Fri 08:00'),
    changes: [{ at: 'Fri 22:00', to: { limit: 10 } }],
    expected: ['Fri 10:30', 'Sat 10:30', 'Sat 10:30', 'Sat 10:30'],
  },
  {
    what: 'A limit raised at 09:00, before Send at',
    zone: 'UTC',
    settings: { ...SETTINGS, limit: 1 },
    leads: leadsAt(3, 'Fri 08:00'),
    changes: [{ at: 'Fri 09:00', to: { limit: 10 } }],
    expected: ['Fri 10:30', 'Fri 10:30', 'Fri 10:30'],
  },
  {
    what: 'First messages switched on at 22:00',
    zone: 'UTC',
    settings: { ...SETTINGS, limit: 0 },
    leads: leadsAt(2, 'Fri 08:00'),
    changes: [{ at: 'Fri 22:00', to: { limit: 10 } }],
    expected: ['Sat 10:30', 'Sat 10:30'],
  },
  {
    what: 'A resume at 02:00',
    zone: 'UTC',
    settings: { ...SETTINGS, isPaused: true },
    leads: leadsAt(3, 'Fri 08:00'),
    changes: [{ at: 'Sun 02:00', to: { isPaused: false } }],
    expected: ['Sun 10:30', 'Sun 10:30', 'Mon 10:30'],
  },
  {
    what: 'The default schedule',
    zone: 'UTC',
    settings: { ...SETTINGS, schedule: 'Europe/Moscow' },
    leads: leadsAt(5, 'Fri 08:00'),
    changes: [],
    expected: ['Fri 10:30', 'Fri 10:30', 'Mon 10:30', 'Mon 10:30', 'Tue 10:30'],
  },
  {
    what: 'The default schedule, and an interval that reaches past its end',
    zone: 'UTC',
    settings: { ...SETTINGS, limit: 10, intervalSeconds: 9000, schedule: 'Europe/Moscow' },
    leads: leadsAt(3, 'Fri 08:00'),
    changes: [],
    expected: ['Fri 10:30', 'Fri 13:00', 'Mon 10:30'],
  },
  {
    what: 'Working hours on the leads’ own clocks, in a month of summer or winter time',
    zone: 'UTC',
    settings: { ...SETTINGS, limit: 10, schedule: 'Europe/Moscow' },
    // 09:00 in Bogota is 14:00 UTC all year; in Tokyo hours are over at 09:00 UTC, before Send at on every day.
    leads: [
      ...leadsAt(1, 'Fri 08:00', 'America/Bogota'),
      ...leadsAt(1, 'Fri 08:00', 'Asia/Tokyo'),
      ...leadsAt(1, 'Fri 08:00'),
    ],
    changes: [],
    expected: ['Fri 10:30', 'Fri 14:00'],
  },
  {
    what: 'A product in Kathmandu, and a lead that arrives after Send at',
    zone: 'Asia/Kathmandu',
    settings: SETTINGS,
    // 10:30 there is 04:45 UTC.
    leads: [...leadsAt(3, 'Fri 03:00'), ...leadsAt(1, 'Sat 12:00')],
    changes: [],
    expected: ['Fri 04:45', 'Fri 04:45', 'Sat 04:45', 'Sun 04:45'],
  },
  {
    what: 'A product in Riga, and a Send at that the change of the clock skips on Sunday',
    zone: 'Europe/Riga',
    settings: { ...SETTINGS, limit: 1, sendAt: '03:30' },
    leads: leadsAt(4, 'Fri 01:00'),
    changes: [],
    expected: ['Fri 01:30', 'Sat 01:30', 'Sun 01:00', 'Mon 00:30'],
    isSpring: true,
  },
];
