import { describe, expect, test } from 'vitest';
import { checkPageContext, type PageContext } from './pageContext.ts';

const call = () => Promise.resolve(null);
const save = { name: 'save', description: 'Saves the page' };
const validContext: PageContext = {
  description: 'Product settings',
  summary: '',
  tools: [save],
  handlers: { save: { call } },
};

describe('checkPageContext', () => {
  test('accepts a description and a handler for every tool', () => {
    expect(checkPageContext(validContext)).toBeNull();
    expect(checkPageContext({ description: 'A list', summary: '', tools: [] })).toBeNull();
  });

  test('refuses a blank description', () => {
    expect(checkPageContext({ ...validContext, description: '  ' })).toBe(
      'Invalid page context: the description is empty',
    );
  });

  test('refuses a tool without a handler, also with a name every object has', () => {
    expect(checkPageContext({ ...validContext, handlers: {} })).toBe(
      'Invalid page context: the tool save has no handler',
    );
    const withInheritedName = { ...validContext, tools: [{ name: 'toString', description: '' }], handlers: {} };
    expect(checkPageContext(withInheritedName)).toBe('Invalid page context: the tool toString has no handler');
  });

  test('refuses a handler that is not a function', () => {
    const broken: PageContext = JSON.parse(
      '{"description":"d","summary":"","tools":[{"name":"save","description":""}],"handlers":{"save":{}}}',
    );
    expect(checkPageContext(broken)).toBe('Invalid page context: the handler of save cannot be called');
  });

  test('refuses a handler without a tool unless it is dynamic', () => {
    const extra = (dynamic: boolean): PageContext => ({
      ...validContext,
      handlers: { save: { call }, more: { call, dynamic } },
    });
    expect(checkPageContext(extra(false))).toBe('Invalid page context: the handler more has no tool');
    expect(checkPageContext(extra(true))).toBeNull();
  });
});
