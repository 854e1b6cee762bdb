/** Passkeys in the browser: pass it the server's options, and send its answer back. */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { t } from '../../ui/i18n.ts';
import type { PasskeyAssertion, PasskeyAttestation } from '../secondFactorContract.ts';

type Options = Readonly<Record<string, unknown>>;

/** Create a passkey in the browser. Throws an error with a sentence if that fails. */
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

/** Sign with a passkey in the browser. Throws an error with a sentence if that fails. */
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

/** Report whether passkeys are possible. Browsers support them only for host names, over https or on this machine. */
export function passkeysArePossible(): boolean {
  const { hostname } = window.location;
  const isAddress = /^[\d.]+$|:/.test(hostname);
  return 'PublicKeyCredential' in window && !isAddress;
}
