/** The guide explains every page of the console, and its first hour has the steps of its journey. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pages } from '../../console/registry.ts';
import { guideOf } from '../../guide/contract.ts';
import { headingsOf } from '../../guide/render.ts';
import { FIRST_HOUR } from './firstHour.ts';
import { TYPED } from './firstHourFixtures.ts';

const GUIDE = readFileSync(join(import.meta.dirname, '../../../docs/guide/first-hour.md'), 'utf8');

it.each(pages.map(({ key }) => key))('explains %s', (key) => {
  expect(guideOf(key)).not.toBe('/guide/');
});

it('describes the first hour in the steps of its journey', () => {
  const steps = headingsOf(GUIDE).filter(({ depth }) => depth === 2);
  expect(steps.map(({ text }) => text)).toEqual([...Object.keys(FIRST_HOUR), 'With your real accounts']);
  for (const words of Object.values(TYPED)) expect(GUIDE).toContain(words);
});
