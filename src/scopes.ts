/** How each noun that an id may name leads to a company: put together from what the modules say of theirs. */
import { channelScopes } from './channels/scope.ts';
import { chatbotScopes } from './chatbot/scope.ts';
import { companyScopes } from './companies/scope.ts';
import { crmScopes } from './crm/scope.ts';
import { dialogueScopes } from './dialogues/scope.ts';
import { jobScopes } from './jobs/scope.ts';
import { leadScopes } from './leads/scope.ts';
import { llmScopes } from './llm/scope.ts';
import { operatorScopes } from './operators/scope.ts';
import { outreachScopes } from './outreach/scope.ts';
import { promptScopes } from './prompts/scope.ts';

export const scopes = {
  ...operatorScopes,
  ...jobScopes,
  ...companyScopes,
  ...promptScopes,
  ...leadScopes,
  ...channelScopes,
  ...llmScopes,
  ...chatbotScopes,
  ...dialogueScopes,
  ...outreachScopes,
  ...crmScopes,
};
