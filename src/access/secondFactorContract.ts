/**
 * An operator's own sessions, second factors and reauthentication; the second step of a sign-in; the sign-in policy.
 */
import { z } from 'zod';
import { endpoint, errorReply, freeMap, instant, nameShape, uncheckedId } from '../platform/contract.ts';
import { operatorSelf } from './contract.ts';

const base64url = z
  .string()
  .min(1)
  .max(10_000)
  .regex(/^[\w-]+$/, 'Not base64url');

const credential = {
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  clientExtensionResults: freeMap(z.unknown()),
  authenticatorAttachment: z.enum(['cross-platform', 'platform']).optional(),
};

/** Answer of a browser after a passkey has signed: PublicKeyCredential.toJSON(). */
export const passkeyAssertion = z.strictObject({
  ...credential,
  response: z.strictObject({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.optional(),
  }),
});
export type PasskeyAssertion = z.output<typeof passkeyAssertion>;

/** Answer of a browser after it has created a passkey. */
const passkeyAttestation = z.strictObject({
  ...credential,
  response: z.strictObject({
    clientDataJSON: base64url,
    attestationObject: base64url,
    authenticatorData: base64url.optional(),
    transports: z.array(z.string().max(50)).max(20).optional(),
    publicKeyAlgorithm: z.int().optional(),
    publicKey: base64url.optional(),
  }),
});
export type PasskeyAttestation = z.output<typeof passkeyAttestation>;

/** Options for `navigator.credentials`, as the browser's library takes them. */
const passkeyOptions = z.record(z.string(), z.unknown());

const oneTimeCode = z
  .string()
  .trim()
  .regex(/^\d{6}$/, 'Enter the six digits that the app shows');
const recoveryCode = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}$/, 'Enter a recovery code, like ABCD-2345-EFGH-6789');
const recoveryCodes = z.array(z.string());

/** Exactly one of the ways to pass the second step. */
const secondStep = z.union([
  z.strictObject({ code: oneTimeCode }),
  z.strictObject({ recovery_code: recoveryCode }),
  z.strictObject({ passkey: passkeyAssertion }),
]);
export type SecondStep = z.output<typeof secondStep>;

/** The session cookie identifies the operator whose password was right. */
export const passSecondFactor = endpoint({
  operation: 'passSecondFactor',
  method: 'POST',
  path: '/v1/auth/login/second-factor',
  access: 'public',
  load: 'login',
  limit: 16 * 1024,
  summary: 'The second step of a sign-in: a code of the authenticator app, a recovery code or a passkey',
  body: secondStep,
  replies: { 200: operatorSelf, 401: z.string(), 429: z.string() },
});

export const askPasskeyAtSignIn = endpoint({
  operation: 'askPasskeyAtSignIn',
  method: 'POST',
  path: '/v1/auth/login/passkey',
  access: 'public',
  load: 'login',
  limit: 16 * 1024,
  summary: 'The challenge that a passkey signs in the second step of a sign-in',
  replies: { 200: passkeyOptions, 401: z.string() },
});

export const ownSession = z.object({
  id: z.int(),
  created_at: instant,
  last_seen_at: instant,
  network: z.string().nullable(),
  browser: z.string().nullable(),
  /** Whether it is the session of this request. */
  current: z.boolean(),
});
export type OwnSession = z.output<typeof ownSession>;
nameShape('OwnSession', ownSession);

export const listOwnSessions = endpoint({
  operation: 'listOwnSessions',
  method: 'GET',
  path: '/v1/auth/sessions',
  access: 'session',
  enrolling: true,
  summary: 'Your own sessions',
  replies: { 200: z.array(ownSession) },
});

export const endOwnSession = endpoint({
  operation: 'endOwnSession',
  method: 'DELETE',
  path: '/v1/auth/sessions/{session}',
  access: 'session',
  enrolling: true,
  summary: 'End one of your sessions',
  params: z.strictObject({ session: uncheckedId }),
  replies: { 204: z.null(), 404: errorReply },
});

export const endOtherSessions = endpoint({
  operation: 'endOtherSessions',
  method: 'POST',
  path: '/v1/auth/sessions/end-others',
  access: 'session',
  enrolling: true,
  summary: 'End all of your sessions but this one',
  replies: { 204: z.null() },
});

export const confirmIdentity = endpoint({
  operation: 'confirmIdentity',
  method: 'POST',
  path: '/v1/auth/confirm',
  access: 'session',
  enrolling: true,
  summary: 'Confirm your identity with the password or a passkey; valid for 15 minutes in this session',
  body: z.union([
    z.strictObject({ password: z.string().min(1).max(1000) }),
    z.strictObject({ passkey: passkeyAssertion }),
  ]),
  replies: { 204: z.null(), 409: errorReply, 429: errorReply },
});

export const askPasskey = endpoint({
  operation: 'askPasskey',
  method: 'POST',
  path: '/v1/auth/confirm/passkey',
  access: 'session',
  enrolling: true,
  summary: 'The challenge that a passkey signs to confirm your identity',
  replies: { 200: passkeyOptions, 409: errorReply },
});

const passkey = z.object({
  id: z.int(),
  name: z.string(),
  created_at: instant,
  last_used_at: instant.nullable(),
});
nameShape('Passkey', passkey);

const secondFactors = z.object({
  /** Whether the installation requires a second factor. */
  required: z.boolean(),
  authenticator: z.object({ confirmed_at: instant }).nullable(),
  passkeys: z.array(passkey),
  /** Number of recovery codes left. */
  recovery_codes: z.int(),
  /** Wrong codes at the second step of a sign-in: whoever entered them knows the password. Null if there is no notice. */
  wrong_codes: z
    .object({ count: z.int(), first_at: instant, last_at: instant, last_network: z.string().nullable() })
    .nullable(),
});
export type SecondFactors = z.output<typeof secondFactors>;
nameShape('SecondFactors', secondFactors);

/** Recovery codes are returned with the first factor and never shown again. */
const withCodes = z.object({ recovery_codes: recoveryCodes.nullable() });

export const readSecondFactors = endpoint({
  operation: 'getSecondFactors',
  method: 'GET',
  path: '/v1/auth/second-factors',
  access: 'session',
  enrolling: true,
  summary: 'Your second factors',
  replies: { 200: secondFactors },
});

export const dismissWrongCodes = endpoint({
  operation: 'dismissWrongCodes',
  method: 'DELETE',
  path: '/v1/auth/second-factors/wrong-codes',
  access: 'session',
  enrolling: true,
  summary: 'Dismiss the notice of wrong codes. Codes that have to wait keep waiting',
  replies: { 204: z.null(), 404: errorReply },
});

export const startAuthenticator = endpoint({
  operation: 'startAuthenticator',
  method: 'POST',
  path: '/v1/auth/second-factors/authenticator',
  access: 'session',
  enrolling: true,
  reauthentication: true,
  summary: 'A new secret for an authenticator app; it applies once a code is confirmed',
  replies: { 200: z.object({ secret: z.string(), uri: z.string() }), 409: errorReply },
});

export const confirmAuthenticator = endpoint({
  operation: 'confirmAuthenticator',
  method: 'POST',
  path: '/v1/auth/second-factors/authenticator/confirm',
  access: 'session',
  enrolling: true,
  reauthentication: true,
  summary: 'Confirm the authenticator app with its first code',
  body: z.strictObject({ code: oneTimeCode }),
  replies: { 200: withCodes, 409: errorReply, 429: errorReply },
});

export const removeAuthenticator = endpoint({
  operation: 'removeAuthenticator',
  method: 'DELETE',
  path: '/v1/auth/second-factors/authenticator',
  access: 'session',
  reauthentication: true,
  summary: 'Remove the authenticator app',
  replies: { 204: z.null(), 404: errorReply, 409: errorReply },
});

export const renewRecoveryCodes = endpoint({
  operation: 'renewRecoveryCodes',
  method: 'POST',
  path: '/v1/auth/second-factors/recovery-codes',
  access: 'session',
  reauthentication: true,
  summary: 'New recovery codes; the former ones no longer work',
  replies: { 200: z.object({ recovery_codes: recoveryCodes }), 409: errorReply },
});

export const startPasskey = endpoint({
  operation: 'startPasskey',
  method: 'POST',
  path: '/v1/auth/second-factors/passkeys/options',
  access: 'session',
  enrolling: true,
  reauthentication: true,
  summary: 'What the browser needs to create a passkey',
  replies: { 200: passkeyOptions, 409: errorReply },
});

export const addPasskey = endpoint({
  operation: 'addPasskey',
  method: 'POST',
  path: '/v1/auth/second-factors/passkeys',
  access: 'session',
  enrolling: true,
  reauthentication: true,
  summary: 'Add the passkey that the browser created',
  body: z.strictObject({ name: z.string().trim().min(1).max(100), passkey: passkeyAttestation }),
  replies: { 200: withCodes, 409: errorReply },
});

export const removePasskey = endpoint({
  operation: 'removePasskey',
  method: 'DELETE',
  path: '/v1/auth/second-factors/passkeys/{passkey}',
  access: 'session',
  reauthentication: true,
  summary: 'Remove a passkey',
  params: z.strictObject({ passkey: uncheckedId }),
  replies: { 204: z.null(), 404: errorReply, 409: errorReply },
});

const policy = z.object({ second_factor_required: z.boolean() });
nameShape('SignInPolicy', policy);

export const readSignInPolicy = endpoint({
  operation: 'getSignInPolicy',
  method: 'GET',
  path: '/v1/auth/policy',
  access: 'admin',
  summary: 'What this installation requires of everybody who signs in',
  replies: { 200: policy },
});

export const changeSignInPolicy = endpoint({
  operation: 'replaceSignInPolicy',
  method: 'PUT',
  path: '/v1/auth/policy',
  access: 'admin',
  reauthentication: true,
  summary: 'Require a second factor of everybody, or leave it to each operator',
  body: z.strictObject({ second_factor_required: z.boolean() }),
  replies: { 200: policy, 409: errorReply },
});
