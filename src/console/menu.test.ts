import { describe, expect, test } from 'vitest';
import { DEFAULT_PAGE } from '../ui/startPage.ts';
import { menuOf, pagesByName } from './menu.ts';
import { findPage, menuKeyOf, pages } from './registry.ts';

describe('the menu', () => {
  test('lists the main group first, then Admin, then the rest alphabetically', () => {
    expect(menuOf(pages, 'admin').map((group) => group.name)).toEqual(['main', 'Admin', 'Company', 'Product']);
  });

  test('shows members no Admin group', () => {
    expect(menuOf(pages, 'member').map((group) => group.name)).toEqual(['main', 'Company', 'Product']);
  });

  test('lists the pages of the specification in its order', () => {
    const keys = Object.fromEntries(menuOf(pages, 'admin').map((group) => [group.name, group.pages.map((p) => p.key)]));
    expect(keys).toEqual({
      // The inbox is our own addition.
      main: ['inbox', 'dashboard'],
      // The system page is our own addition.
      Admin: ['channels', 'crm-companies', 'crm-products', 'system'],
      // The webhooks are our own addition.
      Company: ['crm-integrations', 'crm-company-llms', 'webhooks'],
      Product: [
        'chatbot',
        'prompts',
        'prompt-groups',
        'prepared-messages',
        // Our own addition to the pages of the specification.
        'document-prompts',
        'crm-leads',
        'crm-dialogues',
        'crm-messages',
        'crm-lead-events',
        'rehearsal',
        // Our own addition to the pages of the specification.
        'insights',
        'experiments',
        'studio',
      ],
    });
  });

  test('puts Settings into the Product group', () => {
    const product = menuOf(pages, 'admin').find((group) => group.name === 'Product');
    expect(product?.settings.map((page) => page.key)).toEqual([
      'settings-product',
      'settings-channel',
      'settings-integration',
      'settings-schedule',
      'settings-ping',
    ]);
  });

  test('shows the labels that differ from their keys', () => {
    const label = (key: string) => {
      const page = findPage(key);
      return page?.group === null ? undefined : page?.label;
    };
    expect(label('chatbot')).toBe('Chatbot Playground');
    expect(label('prompt-groups')).toBe('RAG Prompts');
    expect(label('crm-company-llms')).toBe('LLM Credentials');
  });
});

test('finds settings and unlisted lists by name', () => {
  const found = pagesByName(pages, 'member').map(({ label }) => label);
  const settings = menuOf(pages, 'member').flatMap((group) => group.settings.map(({ title }) => title));
  expect(settings).toHaveLength(5);
  expect(found).toEqual(expect.arrayContaining(['Dashboard', ...settings, 'Contacts', 'Import leads']));
  expect(found).not.toContain('Companies');
});

describe('the registry', () => {
  test('opens pages that the menu does not show', () => {
    const hidden = pages.filter((page) => page.group === null).map((page) => page.key);
    expect(hidden.toSorted()).toEqual([
      'account',
      'contacts',
      'crm-contact-dialogues',
      'crm-integration',
      'crm-lead-contacts',
      'dialogue-chat',
      'experiment-detail',
      'insights-attempts',
      'insights-report',
      'lead-detail',
      'leads-import',
      'prepared-message-detail',
      'prompt-detail',
      'send-message',
      'settings',
      'studio-case',
      'studio-cases',
      'studio-judge',
      'studio-personas',
      'studio-run',
      'webhook',
    ]);
  });

  test('has unique keys and a default page', () => {
    expect(new Set(pages.map((page) => page.key)).size).toBe(pages.length);
    expect(findPage(DEFAULT_PAGE)).toBeDefined();
  });

  test('marks a menu item for a page outside the menu', () => {
    // The account page is opened from the account menu, so it highlights no page of the side menu.
    for (const page of pages.filter(({ key }) => key !== 'account')) {
      const marked = findPage(menuKeyOf(page.key));
      expect(marked?.group, page.key).not.toBeNull();
      expect(marked, page.key).toBeDefined();
    }
  });
});
