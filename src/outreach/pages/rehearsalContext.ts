/** The context that the rehearsal gives the assistant; its tools only read. */
import { z } from 'zod';
import { day, reference } from '../../platform/contract.ts';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { rowsForAssistant } from '../../ui/listTools.ts';
import type { PageContext } from '../../ui/pageContext.ts';
import { pageTool, pageTools } from '../../ui/pageTool.ts';
import { reasonText } from '../reason.ts';
import { type Rehearsal, readRehearsal, rehearsalKinds } from '../rehearsalContract.ts';
import { sumDays } from './calendar.ts';
import type { MissingSetup } from './missingSetup.ts';
import { describeReason } from './RehearsalSilent.tsx';
import { PERIODS, type RehearsalState } from './rehearsalUrl.ts';
import { explainLead } from './shared/explainTools.ts';
import { kindLabel } from './shared/status.tsx';

const leadInput = z.strictObject({ lead_id: reference('lead') });
const dayInput = z.strictObject({ day });
const showInput = z.strictObject({
  days: z.literal(PERIODS).optional(),
  day: day.optional(),
  kinds: z.array(z.enum(rehearsalKinds)).optional(),
});
export type ShowInput = z.output<typeof showInput>;
const MAX_MESSAGES = 100;

const toRows = ({ items, total }: Rehearsal) => ({
  total,
  ...rowsForAssistant(
    items.map((one) => ({
      at: one.at,
      lead_id: one.lead_id,
      lead: one.lead_name,
      lead_zone: one.zone,
      what: kindLabel(one.kind, one.step),
      channel: one.channel,
      why_then: reasonText(one.why),
      text_is: one.text.kind,
      text: one.text.text,
    })),
  ),
});

export function rehearsalContext({
  productId,
  state: { days, day: chosen, kinds },
  rehearsal,
  missing,
  show,
}: {
  productId: number;
  state: RehearsalState;
  rehearsal: Rehearsal | undefined;
  missing: readonly MissingSetup[] | undefined;
  show: (input: ShowInput) => void;
}): PageContext {
  return {
    description: t(
      'Rehearsal: every automatic message of the coming days if no one replies, and which leads get none and why. Sends nothing.',
    ),
    summary: JSON.stringify({
      period_days: days,
      chosen_day: chosen ?? 'all',
      chosen_kinds: kinds,
      missing: missing?.map(({ sentence: what }) => what) ?? 'loading',
      rehearsal: rehearsal
        ? {
            from: rehearsal.from,
            to: rehearsal.to,
            leads: rehearsal.leads,
            totals: sumDays(rehearsal.days),
            days: rehearsal.days.filter((one) => one.first + one.ping + one.scheduled + one.expired > 0),
            limits_reached: rehearsal.limits,
            silent: rehearsal.silent.map(({ why, leads }) => ({ leads, why: describeReason(why) })),
          }
        : 'loading',
    }),
    ...pageTools(
      pageTool({
        name: 'why_no_message',
        description: t(
          'Explains why a lead got or did not get a message, what is planned next and when, and what it would get in the period.',
        ),
        input: leadInput,
        run: async ({ lead_id }) => {
          const query = { product_id: productId, days, lead_id: [lead_id], limit: MAX_MESSAGES };
          const [explanation, inPeriod] = await Promise.all([explainLead(lead_id), call(readRehearsal, { query })]);
          return { ...explanation, in_period: toRows(inPeriod) };
        },
      }),
      pageTool({
        name: 'messages_on_day',
        description: t('Lists the messages of a day of the period, in the product’s time zone.'),
        input: dayInput,
        run: async ({ day: input }) =>
          toRows(
            await call(readRehearsal, { query: { product_id: productId, days, day: input, limit: MAX_MESSAGES } }),
          ),
      }),
      pageTool({
        name: 'show_rehearsal',
        description: t('Shows another period, a day of it, or some kinds of messages; omitted filters are cleared.'),
        input: showInput,
        run: async (input) => {
          show(input);
          return { status: 'shown' };
        },
      }),
    ),
  };
}
