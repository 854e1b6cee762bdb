/** What the list of leads shows of their outreach, and filters by. The lead is `t`. */
import type { LeadListParts } from '../../leads/listing.ts';

const lastPlanned = (column: string): string => `(select ${column} from outreach o where o.lead_id = t.id)`;

/** What was last planned for the lead. */
export const NEXT_ACTION = {
  next_action: lastPlanned('o.next_action'),
  next_action_at: lastPlanned('o.next_action_at'),
  next_reason: lastPlanned('o.reason'),
};

const planned = (condition: string): string =>
  `exists (select 1 from outreach o where o.lead_id = t.id and o.product_id = t.product_id and ${condition})`;

/** Filters by what outreach does next, and by the code of the reason why it does nothing now. */
export const nextActionConditions: LeadListParts['conditionsOf'] = {
  next_action: ({ values, bind }) => {
    const actions = values.filter((value) => value !== 'none');
    const conditions = [
      ...(actions.length > 0 ? [planned(`o.next_action = any(${bind(actions)}::text[])`)] : []),
      ...(values.includes('none') ? [`not ${planned('o.next_action is not null')}`] : []),
    ];
    return `(${conditions.join(' or ')})`;
  },
  next_reason: ({ values, bind }) => planned(`o.reason ->> 'code' = any(${bind(values)}::text[])`),
};
