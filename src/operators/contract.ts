/** Signing in and out, and who one is. */
import { z } from 'zod';
import { endpoint, nameShape, sentence } from '../platform/contract.ts';
import type { RefusalKinds } from '../platform/refuse.ts';

export const roles = ['admin', 'member'] as const;

export const operatorSelf = z.object({ id: z.int(), login: z.string(), role: z.enum(roles) });
export type OperatorSelf = z.output<typeof operatorSelf>;
nameShape('SignedInOperator', operatorSelf);

export const loginPayload = z.strictObject({
  login: z.string().min(1).max(200),
  password: z.string().min(1).max(1000),
});

/** Failure is a text body, which the login page shows as it is. */
export const login = endpoint({
  operation: 'login',
  method: 'POST',
  path: '/v1/auth/login',
  access: 'public',
  load: 'login',
  // Passwords and logins are short: a stranger's body is not read any further.
  limit: 16 * 1024,
  summary: 'Sign in; the session is kept in a cookie',
  body: loginPayload,
  replies: { 200: operatorSelf, 401: z.string(), 429: z.string() },
});

export const validate = endpoint({
  operation: 'validateSession',
  method: 'GET',
  path: '/v1/auth/validate',
  access: 'session',
  load: 'session',
  summary: 'Who is signed in',
  replies: { 200: operatorSelf, 401: sentence },
});

export const logout = endpoint({
  operation: 'logout',
  method: 'POST',
  path: '/v1/auth/logout',
  access: 'session',
  load: 'session',
  summary: 'End the session',
  replies: { 204: z.null() },
});

export const operatorRefusals = {
  'operator.taken': { status: 409, sentence: 'There is an operator {login} already.' },
  'operator.last_admin': {
    status: 409,
    sentence: 'This is the last admin who can sign in. Make somebody else an admin first.',
  },
  'operator.wrong_password': { status: 409, sentence: 'The current password is wrong.' },
  'operator.wrong_login': { status: 401, sentence: 'The login or the password is wrong.' },
  'operator.too_many': { status: 429, sentence: 'Too many wrong logins. Please try again in {seconds} s.' },
} satisfies RefusalKinds;
