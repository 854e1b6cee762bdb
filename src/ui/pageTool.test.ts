import { expect, test } from 'vitest';
import { z } from 'zod';
import { checkPageContext, type PageToolHandler } from './pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools } from './pageTool.ts';

const calls: unknown[] = [];
const greet = pageTool({
  name: 'greet',
  description: 'Greets',
  input: z.strictObject({ whom: z.string().min(1), times: z.int().min(1).default(1) }),
  confirm: true,
  irreversible: 'Said is said.',
  diff: ({ whom }) => ({ before: '', after: whom }),
  run: async (args) => {
    calls.push(args);
    return 'greeted';
  },
});
const { tools, handlers } = pageTools(
  greet,
  pageTool({ name: 'rest', description: 'Rests', input: NO_ARGUMENTS, run: async () => null }),
);
const handler = handlers['greet'] as PageToolHandler;

test('declares a valid tool with the JSON Schema of its arguments', () => {
  expect(checkPageContext({ description: 'A page', summary: '', tools, handlers })).toBeNull();
  expect(tools[0]?.parameters).toEqual({
    type: 'object',
    properties: {
      whom: { type: 'string', minLength: 1 },
      times: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 },
    },
    required: ['whom'],
    additionalProperties: false,
  });
  expect(tools[1]?.parameters).toMatchObject({ type: 'object', properties: {} });
});

test('validates arguments before it runs', async () => {
  await expect(handler.call({ whom: '', extra: 1 })).rejects.toThrow(/^The arguments do not fit: .*whom/);
  expect(() => handler.diff?.({})).toThrow(/whom/);
  expect(calls).toEqual([]);
  expect(await handler.call({ whom: 'Ada' })).toBe('greeted');
  expect(calls).toEqual([{ whom: 'Ada', times: 1 }]);
});
