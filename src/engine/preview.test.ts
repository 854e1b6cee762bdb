import { expect, it } from 'vitest';
import { previewOf } from './preview.ts';

it('previews the first line, shortened', () => {
  expect(previewOf('\n Hello \nWorld')).toBe('Hello ');
  expect(previewOf('x'.repeat(200))).toHaveLength(140);
  expect(previewOf(`${'x'.repeat(135)}👨‍👩‍👧‍👦 and more`)).toBe(`${'x'.repeat(135)}…`);
});
