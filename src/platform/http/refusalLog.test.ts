import { expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { createRefusalLog } from './refusalLog.ts';

const refused = (operator: number | null, code: string, network = '192.0.2.1') => ({
  code,
  status: 403,
  method: 'GET',
  route: '/v1/leads/:id',
  operator,
  network,
  requestId: 'r',
});

it('logs one refusal a minute for each caller and code, with the count of the others', () => {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const log = createLog('info', {}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const refusals = createRefusalLog(log, () => now);
  for (let n = 0; n < 1000; n++) refusals.record(refused(1, 'forbidden'));
  refusals.record(refused(1, 'not_found'));
  refusals.record(refused(2, 'forbidden'));
  expect(lines.map(({ operator, code }) => [operator, code])).toEqual([
    [1, 'forbidden'],
    [1, 'not_found'],
    [2, 'forbidden'],
  ]);
  now = 60_001;
  refusals.record(refused(1, 'forbidden'));
  expect(lines.at(-1)).toMatchObject({ msg: 'refused', operator: 1, code: 'forbidden', leftOut: 999 });
  refusals.record(refused(1, 'forbidden'));
  now = 130_000;
  refusals.record(refused(2, 'forbidden'));
  expect(lines.slice(4)).toEqual([
    expect.objectContaining({ msg: 'refused since', operator: 1, code: 'forbidden', leftOut: 1 }),
    expect.objectContaining({ msg: 'refused', operator: 2 }),
  ]);
});

it('bounds the refusal log however many addresses there are', () => {
  const lines: string[] = [];
  const log = createLog('info', {}, { write: (line: string) => void lines.push(line) });
  const refusals = createRefusalLog(log, () => 0);
  for (let n = 0; n < 20_000; n++) refusals.record(refused(null, 'not_found', `address ${n}`));
  expect(lines).toHaveLength(501);
  refusals.flush();
  expect(lines).toHaveLength(502);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ code: 'others', leftOut: 19_499 });
});
