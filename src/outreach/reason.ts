/** The plan's reasons why nothing is sent now, and the sentence for each. One place for server and console. */
import { z } from 'zod';
import { addressRefusalCodes, addressRefusalText } from '../leads/addressRefusal.ts';
import { blockReasonText } from '../leads/lead.ts';
import { OPT_OUT_REASONS, type OptOutReason } from '../leads/personOptOut.ts';
import { countOf } from '../platform/numericText.ts';
import { isZone, zoneTimeName } from '../platform/zones.ts';

const type = z.enum(['telegram', 'whatsapp']);

/** A time of the day, minutes after midnight, on the clock of a zone. */
const timeOfDay = { minutes: z.int(), zone: z.string() };
/** When working hours open, ms since 1970, and the zone in which they count; `own`: that is the lead's. */
const opening = z.object({ at: z.number(), zone: z.string(), own: z.boolean() });
export type HoursClock = z.output<typeof opening>;
/** Results that were stored by earlier versions do not have it. */
const sometimes = opening.partial().shape;

export const reason = z.discriminatedUnion('code', [
  z.object({ code: z.literal('opted_out') }),
  z.object({ code: z.literal('person_opted_out') }),
  z.object({ code: z.literal('person_may_opt_out') }),
  z.object({ code: z.literal('inactive') }),
  z.object({ code: z.literal('stage'), stage: z.string() }),
  z.object({ code: z.literal('product_off') }),
  z.object({ code: z.literal('paused') }),
  z.object({ code: z.literal('no_firsts') }),
  z.object({ code: z.literal('talked') }),
  z.object({ code: z.literal('no_contact') }),
  z.object({
    code: z.literal('invalid_address'),
    refusal: z.enum(addressRefusalCodes),
    number: z.string(),
    country: z.string().nullable(),
  }),
  z.object({ code: z.literal('no_link'), type }),
  z.object({ code: z.literal('limit_zero'), type }),
  z.object({ code: z.literal('address_busy') }),
  z.object({ code: z.literal('person_known'), lead: z.int() }),
  z.object({ code: z.literal('forgotten') }),
  z.object({ code: z.literal('first_refused') }),
  z.object({ code: z.literal('send_at'), ...z.object(timeOfDay).partial().shape }),
  z.object({ code: z.literal('send_at_closed'), ...timeOfDay, own: z.boolean() }),
  z.object({ code: z.literal('hours'), ...sometimes }),
  z.object({ code: z.literal('no_hours') }),
  z.object({ code: z.literal('channel'), reason: z.string() }),
  z.object({ code: z.literal('limit'), type, limit: z.int() }),
  z.object({ code: z.literal('limit_raised'), type, limit: z.int(), ...timeOfDay }),
  z.object({ code: z.literal('ramp') }),
  z.object({ code: z.literal('interval') }),
  z.object({ code: z.literal('line'), ahead: z.int() }),
  z.object({ code: z.literal('text'), reason: z.string() }),
  z.object({ code: z.literal('no_dialogue') }),
  z.object({ code: z.literal('no_pings') }),
  z.object({ code: z.literal('pings_off') }),
  z.object({ code: z.literal('human') }),
  z.object({ code: z.literal('never_wrote') }),
  z.object({ code: z.literal('outgoing') }),
  z.object({ code: z.literal('answer_first') }),
  z.object({ code: z.literal('answered_elsewhere') }),
  z.object({ code: z.literal('last_failed') }),
  z.object({ code: z.literal('skipped') }),
  z.object({ code: z.literal('finished'), steps: z.int() }),
  z.object({ code: z.literal('step'), step: z.int() }),
  z.object({ code: z.literal('step_hours'), step: z.int(), ...sometimes }),
  z.object({ code: z.literal('expires_first') }),
  z.object({ code: z.literal('now') }),
]);
export type Reason = z.output<typeof reason>;

const MESSENGERS = { telegram: 'Telegram', whatsapp: 'WhatsApp' } as const;

const isOptOutReason = (reason: Reason): reason is OptOutReason => Object.hasOwn(OPT_OUT_REASONS, reason.code);

/** Return the sentence that operators see for a reason. */
export function reasonText(reason: Reason): string {
  if (isOptOutReason(reason)) return OPT_OUT_REASONS[reason.code];
  switch (reason.code) {
    case 'opted_out':
    case 'inactive':
    case 'stage':
    case 'product_off':
    case 'human':
      return blockReasonText(reason);
    case 'paused':
      return 'Outreach is paused';
    case 'no_firsts':
      return 'The product sends no first messages: its settings have no initial message';
    case 'talked':
      return 'There are already messages with this lead, so no first message is sent';
    case 'no_contact':
      return 'The lead has no contact';
    case 'invalid_address':
      return `The number is not valid: ${addressRefusalText('whatsapp', { ...reason, code: reason.refusal })}`;
    case 'no_link':
      return `No channel of the product can write first on ${MESSENGERS[reason.type]}`;
    case 'limit_zero':
      return `The daily limit of first messages on ${MESSENGERS[reason.type]} is 0`;
    case 'address_busy':
      return "This address already has a dialogue on the product's channels";
    case 'person_known':
      return `The same person was contacted as lead ${reason.lead}`;
    case 'forgotten':
      return 'This person was deleted and is not contacted again';
    case 'first_refused':
      return 'The first message could not be delivered';
    case 'send_at':
    case 'send_at_closed':
    case 'hours':
    case 'step_hours':
    case 'limit_raised':
    case 'no_hours':
    case 'step':
      return clockReasonText(reason);
    case 'channel':
      return `The channel does not send first messages now: ${reason.reason}`;
    case 'limit':
      return `Today's limit of ${countOf(reason.limit, 'first message')} on ${MESSENGERS[reason.type]} is reached`;
    case 'ramp':
      return "Today's limit of a number that is warming up is reached";
    case 'interval':
      return 'Queued: waiting for the interval between first messages';
    case 'line':
      return `Queued: ${reason.ahead} ahead of it`;
    case 'text':
      return reason.reason;
    case 'no_dialogue':
      return 'There is no dialogue yet';
    case 'no_pings':
      return 'The product has no follow-ups';
    case 'pings_off':
      return 'Follow-ups are off';
    case 'never_wrote':
      return 'The lead never wrote, and follow-ups are only for leads who did';
    case 'outgoing':
      return 'Our last message is still being sent';
    case 'answer_first':
      return 'The lead wrote last';
    case 'answered_elsewhere':
      return 'The lead has written in another dialogue since our last message in this one';
    case 'last_failed':
      return 'Our last message failed';
    case 'skipped':
      return 'An operator skipped the follow-ups until our next message';
    case 'finished':
      return reason.steps === 1 ? 'The only follow-up was sent' : `All ${reason.steps} follow-ups were sent`;
    case 'expires_first':
      return 'The lead expires before the next follow-up';
    case 'now':
      return 'On its way';
    default:
      return reason satisfies never;
  }
}

type ClockReason = Extract<
  Reason,
  { readonly code: 'send_at' | 'send_at_closed' | 'hours' | 'step_hours' | 'limit_raised' | 'no_hours' | 'step' }
>;

/** Return the sentence for a reason that a clock decides: it names that clock. */
function clockReasonText(reason: ClockReason): string {
  switch (reason.code) {
    case 'no_hours':
      return 'The schedule has no working hours';
    case 'step':
      return `Follow-up ${reason.step} is next`;
    case 'send_at':
      return reason.minutes === undefined || reason.zone === undefined
        ? "The day's first messages have not begun yet"
        : `Send at ${timeText(reason.minutes, reason.zone)}`;
    case 'send_at_closed':
      return `Send at ${timeText(reason.minutes, reason.zone)} is after working hours on every day${whose(reason.own)}`;
    case 'hours':
      return `Outside working hours${openingText(reason)}`;
    case 'step_hours':
      return `Follow-up ${reason.step} waits for working hours${openingText(reason)}`;
    case 'limit_raised':
      return `The new limit of ${countOf(reason.limit, 'first message')} on ${MESSENGERS[reason.type]} counts from the next Send at, ${timeText(reason.minutes, reason.zone)}`;
    default:
      return reason satisfies never;
  }
}

/** Write a time of the day: `10:30 Riga time`. */
function timeText(minutes: number, zone: string): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)} ${zoneTimeName(zone)}`;
}

/** Write when working hours open: `: they open on Monday at 09:00 Moscow time`. */
function openingText({ at, zone, own = false }: z.output<z.ZodObject<typeof sometimes>>): string {
  if (at === undefined || zone === undefined || !isZone(zone)) return '';
  const style = { weekday: 'long', hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone } as const;
  const parts = new Intl.DateTimeFormat('en-GB', style).formatToParts(at);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  const time = `${part('hour')}:${part('minute')} ${zoneTimeName(zone)}`;
  return `: they open on ${part('weekday')} at ${time}${whose(own)}`;
}

const whose = (own: boolean) => (own ? " (the lead's time zone)" : '');

/**
 * Reasons that only a change ends, by which leads can be listed: the number of a rehearsal is that of the list. Their
 * names in the filter.
 */
export const LASTING_REASONS: Partial<Record<Reason['code'], string>> = {
  person_opted_out: 'The person asked not to be written to',
  person_may_opt_out: 'The person may want no more messages',
  paused: 'Outreach is paused',
  no_firsts: 'No first messages in the settings',
  talked: 'There are messages already',
  no_contact: 'No contact',
  invalid_address: 'The number is not valid',
  no_link: 'No channel that can write first',
  limit_zero: 'The daily limit is 0',
  address_busy: 'The address has a dialogue',
  person_known: 'The same person as another lead',
  forgotten: 'The person was deleted before',
  first_refused: 'The first message could not be delivered',
  no_hours: 'No working hours',
  send_at_closed: 'Send at is after working hours',
  text: 'No text could be made',
  no_dialogue: 'No dialogue yet',
  no_pings: 'No follow-ups in the product',
  pings_off: 'Follow-ups are off',
  human: 'A teammate is replying',
  never_wrote: 'The lead never wrote',
  answer_first: 'The lead wrote last',
  answered_elsewhere: 'The lead wrote in another dialogue',
  last_failed: 'Our last message failed',
  skipped: 'Follow-ups are skipped',
  finished: 'All follow-ups were sent',
};

/** Return the filters of the list of leads that has those of a reason in a rehearsal; null if none has. */
export const leadsOfReason = (reason: Reason): { next_reason: Reason['code']; is_active: true } | null =>
  LASTING_REASONS[reason.code] !== undefined ? { next_reason: reason.code, is_active: true } : null;
