import { expect, it } from 'vitest';
import { retryAfterSeconds } from './retryAfter.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');

it.each([
  [{ 'retry-after': '30' }, 30],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1.5' }, 1.5],
  [{ 'retry-after': '30, 30' }, 30],
  [{ 'retry-after': ['30', '60'] }, 30],
  [{ 'retry-after': '30s' }, 30],
  [{ 'retry-after': ' 30 s' }, 30],
  [{ 'retry-after-ms': '1500' }, 1.5],
  [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1.5],
  [{ 'retry-after-ms': 'soon', 'retry-after': '2' }, 2],
  [{ 'retry-after': 'Fri, 02 Jan 2026 03:04:35 GMT' }, 30],
  [{ 'retry-after': 'Fri, 02 Jan 2026 03:04:35 GMT', date: 'Fri, 02 Jan 2026 03:04:25 GMT' }, 10],
  [{ 'retry-after': 'Fri, 02 Jan 2026 03:04:00 GMT' }, 0],
  [{ 'retry-after': 'Fri, 02 Jan 2099 03:04:00 GMT' }, 86_400],
  [{ 'retry-after': '99999999' }, 86_400],
  [{ 'retry-after': '-1' }, null],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '' }, null],
  [{}, null],
])('reads %j as %j seconds', (headers, seconds) => expect(retryAfterSeconds(headers, NOW)).toBe(seconds));
