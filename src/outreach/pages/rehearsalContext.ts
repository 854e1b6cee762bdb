/** What the rehearsal tells the assistant; its tools only read. */
import { z } from 'zod';
import { call } from '../../kit/api.ts';
import type { PageContext } from '../../kit/pageContext.ts';
import { t } from '../../kit/t.ts';
import { type Rehearsal, readLeadOutreach, readRehearsal } from '../rehearsalContract.ts';
import { sentenceOf } from '../why.ts';
import { totalsOf } from './calendar.ts';
import type { Missing } from './missing.ts';
import { silenceInWords } from './RehearsalSilent.tsx';
import type { RehearsalState } from './rehearsalAddress.ts';
import { kindLabel } from './status.tsx';

const ofLead = z.object({ lead_id: z.int().positive() });
const ofDay = z.object({ day: z.iso.date() });
const MOST = 100;

export function rehearsalContext(
  productId: number,
  { days, day, kinds }: RehearsalState,
  played: Rehearsal | undefined,
  missing: readonly Missing[] | undefined,
): PageContext {
  const inWords = ({ items, total }: Rehearsal) => ({
    total,
    messages: items.map((one) => ({
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
  });
  return {
    description: t(
      'Rehearsal: every message that would go out in the coming days if nobody answered and nothing were changed, and who gets nothing and why. It sends nothing.',
    ),
    summary: JSON.stringify({
      period_days: days,
      chosen_day: day ?? 'all',
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
    tools: [
      {
        name: 'why_no_message',
        description: t('Tells what comes next for a lead by itself, and why it gets no message now.'),
        parameters: { type: 'object', properties: { lead_id: { type: 'integer' } }, required: ['lead_id'] },
      },
      {
        name: 'messages_on_day',
        description: t('Tells what goes out on a UTC day of the period, message by message.'),
        parameters: {
          type: 'object',
          properties: { day: { type: 'string', format: 'date' } },
          required: ['day'],
        },
      },
    ],
    handlers: {
      why_no_message: {
        call: async (args) => {
          const { lead_id } = ofLead.parse(args);
          const [now, then] = await Promise.all([
            call(readLeadOutreach, { params: { lead_id } }),
            call(readRehearsal, { query: { product_id: productId, days, lead_id: [lead_id], limit: MOST } }),
          ]);
          return { state: now.state, next: now.next, at: now.at, why: sentenceOf(now.why), in_period: inWords(then) };
        },
      },
      messages_on_day: {
        call: async (args) => {
          const { day: asked } = ofDay.parse(args);
          return inWords(
            await call(readRehearsal, { query: { product_id: productId, days, day: asked, limit: MOST } }),
          );
        },
      },
    },
  };
}
