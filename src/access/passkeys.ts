/**
 * Passkeys (WebAuthn): created and used by the browser, verified here. A challenge belongs to a session and is used
 * once.
 */
import { isIP } from 'node:net';
import type * as WebAuthn from '@simplewebauthn/server';
import type { FastifyRequest } from 'fastify';
import type { AppContext } from '../platform/appContext.ts';
import { refuse } from '../platform/refuse.ts';
import { operatorRefusals } from './contract.ts';
import type { PasskeyAssertion, PasskeyAttestation } from './secondFactorContract.ts';
import { type PasskeyRow, passkeysOf, recordPasskeyUse } from './store/secondFactors.ts';
import { consumeChallenge, storeChallenge } from './store/sessions.ts';

/** Loaded when a passkey is first used: it holds 5 MB, and most installations never use one. */
const loadWebAuthn = () => import('@simplewebauthn/server');

/** Address of the console: passkeys belong to its host name. */
interface RelyingParty {
  readonly origin: string;
  readonly host: string;
}

/** A session that must answer with a passkey, and its operator. */
export interface PasskeyRequest {
  readonly tokenHash: Buffer;
  readonly operator: { readonly id: number; readonly login: string };
}

/** Return the console's own address as the request states it. The server has checked that it is ours. */
export function relyingPartyOf(request: FastifyRequest): RelyingParty {
  const origin = request.headers.origin ?? '';
  const host = URL.canParse(origin) ? new URL(origin).hostname : '';
  if (host === '' || isIP(host.replace(/^\[|\]$/g, '')) !== 0) throw refuse(operatorRefusals, 'operator.no_passkeys');
  return { origin, host };
}

type Options = Readonly<Record<string, unknown>>;

/** Create the options with which the browser creates a passkey. */
export async function createRegistrationOptions(
  context: AppContext,
  party: RelyingParty,
  { tokenHash, operator }: PasskeyRequest,
): Promise<Options> {
  const existing = await passkeysOf(context.reader, operator.id);
  const { generateRegistrationOptions } = await loadWebAuthn();
  const options = await generateRegistrationOptions({
    rpName: 'Rapport',
    rpID: party.host,
    userName: operator.login,
    userDisplayName: operator.login,
    userID: new TextEncoder().encode(`operator ${operator.id}`),
    attestationType: 'none',
    excludeCredentials: existing.map(({ credential_id: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  });
  await context.transact((tx) => storeChallenge(tx, tokenHash, options.challenge));
  return { ...options };
}

export type NewPasskey = Pick<PasskeyRow, 'credential_id' | 'public_key' | 'counter' | 'transports'>;

/** Verify the passkey that the browser created. Returns null if it does not answer the challenge. */
export async function verifyRegistration(
  context: AppContext,
  party: RelyingParty,
  { tokenHash, response }: { tokenHash: Buffer; response: PasskeyAttestation },
): Promise<NewPasskey | null> {
  const challenge = await context.transact((tx) => consumeChallenge(tx, tokenHash));
  if (challenge === null) return null;
  const { verifyRegistrationResponse } = await loadWebAuthn();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      // The library parses what the browser sent; the contract has checked its shape.
      response: response as Parameters<typeof WebAuthn.verifyRegistrationResponse>[0]['response'],
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.host,
      requireUserVerification: true,
    });
    if (!verified || !registrationInfo) return null;
    const { id, publicKey, counter } = registrationInfo.credential;
    const transports = response.response.transports ?? [];
    return { credential_id: id, public_key: Buffer.from(publicKey), counter, transports };
  } catch {
    return null;
  }
}

/** Create the options with which one of the operator's passkeys signs. */
export async function createAuthenticationOptions(
  context: AppContext,
  party: RelyingParty,
  { tokenHash, operator }: PasskeyRequest,
): Promise<Options> {
  const existing = await passkeysOf(context.reader, operator.id);
  if (existing.length === 0) throw refuse(operatorRefusals, 'operator.no_passkey');
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const options = await generateAuthenticationOptions({
    rpID: party.host,
    allowCredentials: existing.map(({ credential_id: id, transports }) => ({ id, transports })),
    userVerification: 'required',
  });
  await context.transact((tx) => storeChallenge(tx, tokenHash, options.challenge));
  return { ...options };
}

/** Verify the signature of the challenge by a passkey of this operator. */
export async function verifyAssertion(
  context: AppContext,
  party: RelyingParty,
  { tokenHash, operator, response }: PasskeyRequest & { readonly response: PasskeyAssertion },
): Promise<boolean> {
  const challenge = await context.transact((tx) => consumeChallenge(tx, tokenHash));
  const existing = (await passkeysOf(context.reader, operator.id)).find((one) => one.credential_id === response.id);
  if (challenge === null || !existing) return false;
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      // The library parses what the browser sent; the contract has checked its shape.
      response: response as Parameters<typeof WebAuthn.verifyAuthenticationResponse>[0]['response'],
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.host,
      requireUserVerification: true,
      credential: {
        id: existing.credential_id,
        publicKey: new Uint8Array(existing.public_key),
        counter: existing.counter,
      },
    });
    if (!verified) return false;
    return await context.transact((tx) => recordPasskeyUse(tx, existing.id, authenticationInfo.newCounter));
  } catch {
    return false;
  }
}
