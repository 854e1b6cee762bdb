/** What the module of leads calls of conversations, which depend on it; injected by the app. */
import { restoreMoved } from '../engine/steps/restoreMoved.ts';
import type { LeadDependencies } from '../leads/dependencies.ts';
import type { AppContext } from '../platform/appContext.ts';
import { eraseLeads } from './eraseLeads.ts';
import { decideOptOut, liftOptOut } from './optOut.ts';
import { cancelPending } from './ownership.ts';
import { countConversations, findLeadsWithConversation } from './store/leadConversations.ts';

type LeadVerbs = Pick<
  LeadDependencies,
  'cancelPending' | 'eraseLeads' | 'optOuts' | 'restoreMoved' | 'countConversations' | 'findLeadsWithConversation'
>;

export const leadVerbs = (context: Pick<AppContext, 'cipher'>): LeadVerbs => ({
  cancelPending,
  eraseLeads,
  optOuts: {
    decide: (tx, change) => decideOptOut(tx, context, change),
    lift: (tx, change) => liftOptOut(tx, context, change),
  },
  restoreMoved,
  countConversations,
  findLeadsWithConversation,
});
