/** Says what the bot does with a dialogue that it gets back. */
import type { HandBack } from '../../outreach/handBackContract.ts';
import { zoneTimeName } from '../../platform/zones.ts';
import { formatTime } from '../../ui/format.ts';
import { language, t } from '../../ui/i18n.ts';

/** Describe what happens when a dialogue is handed back now: `The bot answers now: “How much?”. It is 01:56 there.` */
export function describeHandBack(handBack: HandBack): string {
  const { answer, message, at, now, zone, own_zone: isOwn } = handBack;
  const words = message ?? '';
  if (answer === 'now') {
    const time = formatTime(now, zone);
    const clock = isOwn
      ? t('It is {{time}} there.', { time })
      : t('It is {{time}} {{zone}}.', { time, zone: zoneTimeName(zone) });
    return `${t('The bot answers now: “{{words}}”.', { words })} ${clock}`;
  }
  if (answer === 'later' && at !== null) {
    const day = new Intl.DateTimeFormat(language(), { weekday: 'long', timeZone: zone }).format(Date.parse(at));
    const values = { day, time: formatTime(at, zone), words };
    return isOwn
      ? t('The bot answers on {{day}} at {{time}} their time, when working hours begin: “{{words}}”.', values)
      : t('The bot answers on {{day}} at {{time}} {{zone}}, when working hours begin: “{{words}}”.', {
          ...values,
          zone: zoneTimeName(zone),
        });
  }
  return message === null
    ? t('The bot has nothing to answer.')
    : t('The bot does not answer “{{words}}”: {{reason}}.', { words, reason: noAnswerReason(handBack) });
}

function noAnswerReason({ why }: HandBack): string {
  switch (why) {
    case 'late':
      return t('it is older than 24 hours, so a person still has to see it');
    case 'call':
      return t('it was a call, so a person still has to see it');
    case 'order':
      return t('it is an order, so a person still has to see it');
    case 'payment':
      return t('it is a payment, so a person still has to see it');
    case 'unreadable':
      return t('it cannot be shown here, so a person still has to see it');
    case 'no_hours':
      return t('the schedule has no working hours');
    case 'inactive':
      return t('the lead is deactivated');
    case 'opted_out':
      return t('the lead opted out');
    case 'stage':
      return t('the stage of the lead ends the bot’s work');
    case 'product_off':
      return t('the product is switched off');
    case 'nothing':
    case null:
      return t('there is nothing to answer');
    default:
      return why satisfies never;
  }
}
