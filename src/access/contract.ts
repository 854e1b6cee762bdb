/** Signing in and out, and the signed-in operator. */
import { z } from 'zod';
import { endpoint, errorReply, nameShape } from '../platform/contract.ts';
import type { RefusalKinds } from '../platform/refuse.ts';

export const roles = ['admin', 'member'] as const;

export const operatorSelf = z.object({
  id: z.int(),
  login: z.string(),
  role: z.enum(roles),
  /** The installation requires a second factor and the operator has none: they can only add one. */
  second_factor_missing: z.literal(true).optional(),
  /** Another operator has set the password: the operator can only choose a new one. */
  password_change_due: z.literal(true).optional(),
  /** Somebody who knows the password has tried many second factors, and the operator has not seen to it yet. */
  second_factor_guessed: z.literal(true).optional(),
});
export type OperatorSelf = z.output<typeof operatorSelf>;
nameShape('SignedInOperator', operatorSelf);

/** Minimum length of a new password, in characters. Older, shorter passwords still work. */
export const PASSWORD_LENGTH = 10;

export const loginPayload = z.strictObject({
  login: z.string().min(1).max(200),
  password: z.string().min(1).max(1000),
});

/** Ways to pass the second step of a sign-in. */
export const secondFactorDue = z.object({
  second_factors: z.array(z.enum(['authenticator', 'passkey', 'recovery_code'])),
});
export type SecondFactorDue = z.output<typeof secondFactorDue>;
nameShape('SecondFactorDue', secondFactorDue);

/** A failure is a text body, which the login page shows as it is. */
export const login = endpoint({
  operation: 'login',
  method: 'POST',
  path: '/v1/auth/login',
  access: 'public',
  summary: 'Sign in; the session is kept in a cookie. 202: the second factor is still to come',
  load: 'login',
  // Logins and passwords are short, so no more of the body is read.
  limit: 16 * 1024,
  body: loginPayload,
  replies: { 200: operatorSelf, 202: secondFactorDue, 401: z.string(), 429: z.string() },
});

export const validate = endpoint({
  operation: 'validateSession',
  enrolling: true,
  choosingPassword: true,
  method: 'GET',
  path: '/v1/auth/validate',
  access: 'session',
  load: 'session',
  summary: 'Who is signed in',
  replies: { 200: operatorSelf, 401: errorReply },
});

export const logout = endpoint({
  operation: 'logout',
  enrolling: true,
  choosingPassword: true,
  method: 'POST',
  path: '/v1/auth/logout',
  access: 'session',
  load: 'session',
  summary: 'End the session',
  replies: { 204: z.null() },
});

export const operatorRefusals = {
  'operator.taken': { status: 409, sentence: 'An operator {login} already exists.' },
  'operator.looks_alike': { status: 409, sentence: 'An operator whose login looks like {login} already exists.' },
  'operator.unfit_login': { status: 409, sentence: '{reason}: a login must not pass for another one.' },
  'operator.short_password': { status: 409, sentence: `The password needs at least ${PASSWORD_LENGTH} characters.` },
  'operator.common_password': {
    status: 409,
    sentence: 'This password is too common. Choose another one.',
  },
  'operator.named_password': {
    status: 409,
    sentence: 'The password is little more than the login or the name of this product. Choose another one.',
  },
  'operator.last_admin': {
    status: 409,
    sentence: 'This is the last admin who can sign in. Make somebody else an admin first.',
  },
  'operator.wrong_code': { status: 409, sentence: 'The code is wrong, or was used before.' },
  'operator.wrong_second_factor': { status: 401, sentence: 'The second factor is wrong, or was used before.' },
  'operator.sign_in_again': { status: 401, sentence: 'This took too long. Please log in again.' },
  'operator.has_authenticator': { status: 409, sentence: 'An authenticator app is already set up. Remove it first.' },
  'operator.no_second_factor': { status: 409, sentence: 'Add a second factor to your own account first.' },
  'operator.second_factor_required': {
    status: 409,
    sentence: 'This installation requires a second factor. Add another one first.',
  },
  'operator.too_many_passkeys': { status: 409, sentence: 'There are already 20 passkeys. Remove one first.' },
  'operator.no_passkey': { status: 409, sentence: 'There is no passkey for this account.' },
  'operator.wrong_passkey': { status: 409, sentence: 'The passkey was not accepted. Try again.' },
  'operator.no_passkeys': {
    status: 409,
    sentence: 'Passkeys only work when the console is opened by host name, not by IP address.',
  },
  'operator.same_password': { status: 409, sentence: 'This is the password that you were given. Choose another one.' },
  'operator.wrong_password': { status: 409, sentence: 'The current password is wrong.' },
  'operator.wrong_login': { status: 401, sentence: 'The login or the password is wrong.' },
  'operator.too_many_codes': {
    status: 429,
    sentence: 'Too many wrong codes. Please try again in {wait}, or use a recovery code or a passkey.',
  },
  'operator.too_many': { status: 429, sentence: 'Too many wrong logins. Please try again in {seconds} s.' },
} satisfies RefusalKinds;
