/** What the rehearsal tells the assistant; its tools only read. */
import { z } from 'zod';
import { call } from '../../kit/api.ts';
import { rowsTold } from '../../kit/listTools.ts';
import type { PageContext } from '../../kit/pageContext.ts';
import { pageTool, pageTools } from '../../kit/pageTool.ts';
import { t } from '../../kit/t.ts';
import { day, reference } from '../../platform/contract.ts';
import { type Rehearsal, readRehearsal, rehearsalKinds } from '../rehearsalContract.ts';
import { sentenceOf } from '../why.ts';
import { totalsOf } from './calendar.ts';
import type { Missing } from './missing.ts';
import { silenceInWords } from './RehearsalSilent.tsx';
import { PERIODS, type RehearsalState } from './rehearsalAddress.ts';
import { kindLabel } from './status.tsx';
import { whyOf } from './whyTools.ts';

const ofLead = z.strictObject({ lead_id: reference('lead') });
const ofDay = z.strictObject({ day });
const shownPart = z.strictObject({
  days: z.literal(PERIODS).optional(),
  day: day.optional(),
  kinds: z.array(z.enum(rehearsalKinds)).optional(),
});
export type Asked = z.output<typeof shownPart>;
const MOST = 100;

export function rehearsalContext(
  productId: number,
  { days, day: chosen, kinds }: RehearsalState,
  played: Rehearsal | undefined,
  missing: readonly Missing[] | undefined,
  show: (asked: Asked) => void,
): PageContext {
  const inWords = ({ items, total }: Rehearsal) => ({
    total,
    ...rowsTold(
      items.map((one) => ({
        at: one.at,
        lead_id: one.lead_id,
        lead: one.lead_name,
        lead_zone: one.zone,
        what: kindLabel(one.kind, one.step),
        channel: one.channel,
        why_then: sentenceOf(one.why),
        text_is: one.text.kind,
        text: one.text.text,
      })),
    ),
  });
  return {
    description: t(
      'Rehearsal: every message that would go out in the coming days if nobody answered and nothing were changed, and who gets nothing and why. It sends nothing.',
    ),
    summary: JSON.stringify({
      period_days: days,
      chosen_day: chosen ?? 'all',
      chosen_kinds: kinds,
      missing: missing?.map(({ what }) => what) ?? 'loading',
      rehearsal: played
        ? {
            from: played.from,
            to: played.to,
            leads: played.leads,
            totals: totalsOf(played.days),
            days: played.days.filter((one) => one.first + one.ping + one.scheduled + one.expired > 0),
            limits_reached: played.limits,
            silent: played.silent.map(({ why, leads }) => ({ leads, why: silenceInWords(why) })),
          }
        : 'loading',
    }),
    ...pageTools(
      pageTool({
        name: 'why_no_message',
        description: t(
          'Tells why a lead got or did not get a message, what comes next by itself and when, and what it would get in the period.',
        ),
        input: ofLead,
        run: async ({ lead_id }) => {
          const query = { product_id: productId, days, lead_id: [lead_id], limit: MOST };
          const [now, then] = await Promise.all([whyOf(lead_id), call(readRehearsal, { query })]);
          return { ...now, in_period: inWords(then) };
        },
      }),
      pageTool({
        name: 'messages_on_day',
        description: t('Tells what goes out on a day of the period, in the product’s time zone, message by message.'),
        input: ofDay,
        run: async ({ day: asked }) =>
          inWords(await call(readRehearsal, { query: { product_id: productId, days, day: asked, limit: MOST } })),
      }),
      pageTool({
        name: 'show_rehearsal',
        description: t('Shows another period, a day of it, or some kinds of messages; what is left out is taken off.'),
        input: shownPart,
        run: async (asked) => {
          show(asked);
          return { status: 'shown' };
        },
      }),
    ),
  };
}
