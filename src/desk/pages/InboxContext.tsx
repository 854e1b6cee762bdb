/** Describes the list of the inbox to the assistant, with its tools. Renders nothing. */
import { z } from 'zod';
import { uncheckedId } from '../../platform/contract.ts';
import { t } from '../../ui/i18n.ts';
import { rowsForAssistant } from '../../ui/listTools.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools } from '../../ui/pageTool.ts';
import { type InboxCounts, type InboxRow, inboxViews } from '../contract.ts';
import { deskListTools } from './shared/deskTools.ts';
import type { InboxState } from './useInboxState.ts';

/** How many rows the assistant gets. */
const MAX_ROWS = 40;

const SHOW_INPUT = z.strictObject({
  view: z.enum(inboxViews).optional(),
  search: z.string().max(200).optional(),
  only_chosen_product: z.boolean().optional(),
});

export default function InboxContext({ inbox, counts }: { inbox: InboxState; counts: InboxCounts | undefined }) {
  usePageContext({
    description: t(
      'The dialogues that need a person, of all products of the company: who waits for what, and since when.',
    ),
    summary: JSON.stringify({
      view: inbox.query.view,
      search: inbox.query.search,
      only_chosen_product: inbox.isOneProduct,
      counts,
      found: inbox.total,
      rows: inbox.rows ? rowsForAssistant(inbox.rows.slice(0, MAX_ROWS).map(describeRow)) : 'loading',
    }),
    ...pageTools(
      pageTool({
        name: 'show_inbox',
        description: t('Shows a view of the inbox, or searches it; what is omitted stays.'),
        input: SHOW_INPUT,
        run: async ({ view, search, only_chosen_product: isOneProduct }) => {
          inbox.setList({
            ...(view === undefined ? {} : { view }),
            ...(search === undefined ? {} : { search }),
            ...(isOneProduct === undefined ? {} : { isOneProduct }),
          });
          return { status: 'shown' };
        },
      }),
      pageTool({
        name: 'open_dialogue',
        description: t('Opens a dialogue of the inbox.'),
        input: z.strictObject({ dialogue_id: uncheckedId }),
        run: async ({ dialogue_id: id }) => {
          inbox.open({ id, lead_name: '' });
          return { status: 'opened' };
        },
      }),
      pageTool({
        name: 'open_next',
        description: t('Opens the dialogue that has waited longest for a person.'),
        input: NO_ARGUMENTS,
        run: async () => {
          const next = await inbox.findNext();
          if (next) inbox.open(next);
          return next ? { status: 'opened', dialogue_id: next.id } : { status: 'nobody waits' };
        },
      }),
      ...deskListTools(),
    ),
  });
  return null;
}

const describeRow = (row: InboxRow): object => ({
  dialogue_id: row.id,
  lead: row.lead_name,
  product: row.product_name,
  channel: row.channel_name,
  last_message: row.last_message,
  needs: row.attention,
  assignee: row.assignee,
  answers: row.owner,
  snoozed_until: row.snoozed_until,
});
