/** Scopes: how each resource that an id may name leads to a company, collected from the modules. */

import { companyAccess } from './access/accessChecker.ts';
import { operatorScopes } from './access/scope.ts';
import { channelScopes } from './channels/scope.ts';
import { viewScopes } from './companies/scope.ts';
import { classificationScopes } from './conversations/classificationScope.ts';
import { conversationScopes } from './conversations/scope.ts';
import { crmScopes } from './crm/scope.ts';
import { inboxScopes } from './inbox/scope.ts';
import { leadScopes } from './leads/scope.ts';
import { llmScopes } from './llm/scope.ts';
import { outcomeScopes } from './outcomes/scope.ts';
import { outreachScopes } from './outreach/scope.ts';
import { promptScopes } from './prompts/scope.ts';
import { studioScopes } from './studio/scope.ts';
import { webhookScopes } from './webhooks/scope.ts';

export const scopes = {
  ...operatorScopes,
  ...companyAccess,
  ...viewScopes,
  ...promptScopes,
  ...leadScopes,
  ...channelScopes,
  ...llmScopes,
  ...classificationScopes,
  ...conversationScopes,
  ...inboxScopes,
  ...webhookScopes,
  ...outreachScopes,
  ...outcomeScopes,
  ...crmScopes,
  ...studioScopes,
};
