import { expect, it } from 'vitest';
import { Refusal } from '../platform/refuse.ts';
import { requireStrongPassword } from './newPassword.ts';

const LOGIN = 'Rebecca Long';

it.each([
  ['123456789', 'operator.short_password'],
  ['1234567890', 'operator.common_password'],
  ['PassWord1234', 'operator.common_password'],
  ['qwertyuiop', 'operator.common_password'],
  [' '.repeat(12), 'operator.common_password'],
  ['abababababab', 'operator.common_password'],
  ['rebecca long', 'operator.named_password'],
  ['Rebecca-Long 1', 'operator.named_password'],
  ['Rapport2026!', 'operator.named_password'],
])('refuses %j as a new password', (password, code) => {
  let refused: unknown;
  try {
    requireStrongPassword(password, LOGIN);
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(Refusal);
  expect(refused).toMatchObject({ code });
});

it.each(['seven grey herons wait', 'Rebecca Long reads about herons', 'журавль в небе летит', 'xK4#mmV0p!q'])(
  'accepts %j as a new password',
  (password) => {
    expect(() => requireStrongPassword(password, LOGIN)).not.toThrow();
  },
);
