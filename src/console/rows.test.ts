import { expect, test } from 'vitest';
import { pages } from './registry.ts';

test("opens a row's page only within the chosen company and product", () => {
  const named = pages.flatMap(({ key, rows = [] }) => rows.map(({ param, optional }) => [key, param, optional]));
  expect(named).toEqual([
    ['insights-report', 'productId', true],
    ['experiment-detail', 'experimentId', true],
    ['prompt-detail', 'promptId', true],
    ['prepared-message-detail', 'messageId', true],
    ['crm-lead-events', 'leadId', true],
    ['lead-detail', 'leadId', true],
    ['crm-lead-contacts', 'leadId', false],
    ['crm-contact-dialogues', 'contactId', false],
    ['send-message', 'contactId', false],
    ['dialogue-chat', 'dialogueId', false],
    ['chatbot', 'promptId', true],
    ['chatbot', 'leadId', true],
    ['studio', 'promptId', true],
    ['studio-run', 'runId', false],
    ['studio-cases', 'promptId', true],
    ['studio-case', 'caseId', true],
    ['studio-case', 'promptId', true],
    ['crm-integration', 'integrationId', false],
    ['webhook', 'webhookId', false],
  ]);
});
