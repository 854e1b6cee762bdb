import { STATUS_CODES } from 'node:http';
import { expect, it } from 'vitest';
import { statusText } from './statusText.ts';

it('names HTTP statuses as our server does', () => {
  const wire = Object.entries(STATUS_CODES).filter(([status]) =>
    /^(40[0-6]|408|409|410|41[0-5]|42[2-9]|431|50[0-4])$/.test(status),
  );
  expect(wire.length).toBeGreaterThan(20);
  expect(wire.map(([status]) => [status, statusText(Number(status))])).toEqual(wire);
});
