/** Passkeys in the browser: what the server asks for is handed to it, and what it answers is sent back. */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { t } from '../../ui/i18n.ts';
import { type PasskeyAssertion, type PasskeyAttestation } from '../secondFactorContract.ts';

type Options = Readonly<Record<string, unknown>>;

/** Has the browser make a passkey. Throws in words when it does not. */
export async function makePasskey(options: Options): Promise<PasskeyAttestation> {
  type Asked = Parameters<typeof startRegistration>[0]['optionsJSON'];
  try {
    const credential: unknown = await startRegistration({ optionsJSON: options as unknown as Asked });
    return credential as PasskeyAttestation;
  } catch (error) {
    throw new Error(t('No passkey was added. Your browser says: {{reason}}', { reason: reasonOf(error) }), {
      cause: error,
    });
  }
}

/** Has the browser sign with a passkey. Throws in words when it does not. */
export async function signWithPasskey(options: Options): Promise<PasskeyAssertion> {
  type Asked = Parameters<typeof startAuthentication>[0]['optionsJSON'];
  try {
    const signed: unknown = await startAuthentication({ optionsJSON: options as unknown as Asked });
    return signed as PasskeyAssertion;
  } catch (error) {
    throw new Error(t('The passkey was not used. Your browser says: {{reason}}', { reason: reasonOf(error) }), {
      cause: error,
    });
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Browsers know passkeys for host names alone, over https or on this machine. */
export function passkeysArePossible(): boolean {
  const { hostname } = window.location;
  const isAddress = /^[\d.]+$|:/.test(hostname);
  return 'PublicKeyCredential' in window && !isAddress;
}
