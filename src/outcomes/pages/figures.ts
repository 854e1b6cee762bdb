/** The lists behind the dashboard's figures, for its tiles and for the assistant. */
import { z } from 'zod';
import { messageStatuses } from '../../conversations/contract.ts';
import { stages } from '../../leads/contract.ts';
import { t } from '../../ui/i18n.ts';
import type { CurrentPage, PageParams } from '../../ui/page.ts';
import type { PageContext } from '../../ui/pageContext.ts';
import { pageTool, pageTools } from '../../ui/pageTool.ts';
import type { Dashboard } from '../contract.ts';

/** Statuses of messages that were sent or received; waiting and cancelled ones do not count. */
const SENT_STATUSES = messageStatuses.filter((status) => status !== 'scheduled' && status !== 'cancelled');

const FIGURES = ['users', 'messages', 'growth', 'active'] as const;
type Figure = (typeof FIGURES)[number];

/** Return the link to the list that has as many rows as the figure says. */
export function listLinkOf(figure: Figure, figures: Dashboard | undefined): { to: string; params: PageParams } {
  switch (figure) {
    case 'users':
      return { to: 'crm-leads', params: {} };
    case 'messages':
      return { to: 'crm-messages', params: { status: SENT_STATUSES.join(',') } };
    case 'growth':
      return { to: 'crm-leads', params: { created_from: figures?.days.at(-7)?.day } };
    case 'active':
      return { to: 'crm-dialogues', params: { recent: 'true' } };
    default:
      return figure satisfies never;
  }
}

/** Description of the roles for the assistant; the same for every operator. */
const USER_ROLES = {
  admin: 'All companies, and the Admin group of the menu',
  member: 'The companies given to the operator',
};

/** Build the context and tools that the dashboard gives the assistant. */
export function dashboardContext(
  page: Pick<CurrentPage, 'go'>,
  product: { readonly id: number; readonly name: string } | null,
  figures: Dashboard | undefined,
): PageContext {
  return {
    description: t(
      'Figures of the chosen product: leads, messages, growth, active dialogues, stages, messages per day.',
    ),
    summary: JSON.stringify({
      product: product && { id: product.id, name: product.name },
      user_roles: USER_ROLES,
      figures: figures ?? null,
    }),
    ...figureTools(page, figures),
  };
}

const FIGURE = z.strictObject({ figure: z.enum(FIGURES) });
const STAGE = z.strictObject({ stage: z.enum(stages) });

export function figureTools(
  page: Pick<CurrentPage, 'go'>,
  figures: Dashboard | undefined,
): Required<Pick<PageContext, 'tools' | 'handlers'>> {
  return pageTools(
    pageTool({
      name: 'open_figure',
      description: t('Opens the list behind a figure: all leads, messages, new leads of 7 days, or active dialogues.'),
      input: FIGURE,
      run: async ({ figure }) => {
        const { to, params } = listLinkOf(figure, figures);
        page.go(to, params);
        return { status: 'opened' };
      },
    }),
    pageTool({
      name: 'open_stage',
      description: t('Opens the leads of a stage.'),
      input: STAGE,
      run: async ({ stage }) => {
        page.go('crm-leads', { stage });
        return { status: 'opened' };
      },
    }),
  );
}
