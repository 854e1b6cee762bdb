/** The key pair by which push services know this installation (VAPID, RFC 8292). */
import { generateKeyPairSync } from 'node:crypto';
import type { AppContext } from '../../platform/appContext.ts';
import { readVapidKeys, storeVapidKeys } from './store/subscriptions.ts';

const LOCATION = 'installation.vapid_private_key_sealed.1';

type KeyContext = Pick<AppContext, 'reader' | 'cipher'>;

/** Create the keys at the first start. They never change: subscriptions are bound to them. */
export async function ensureVapidKeys({ reader, cipher }: KeyContext): Promise<void> {
  if ((await readVapidKeys(reader)) !== null) return;
  const { publicKey, privateKey } = generateKeys();
  await storeVapidKeys(reader, { publicKey, sealed: cipher.encryptSecret(privateKey, LOCATION) });
}

/** A key pair on P-256, as `applicationServerKey` and `web-push` take it: the uncompressed point, and the number. */
function generateKeys(): { publicKey: string; privateKey: string } {
  const { privateKey: pair } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const { x = '', y = '', d = '' } = pair.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: d };
}

export async function publicPushKey({ reader }: KeyContext): Promise<string | null> {
  return (await readVapidKeys(reader))?.publicKey ?? null;
}

export async function vapidKeys({ reader, cipher }: KeyContext): Promise<{ publicKey: string; privateKey: string }> {
  const stored = await readVapidKeys(reader);
  if (stored === null) throw new Error('There are no VAPID keys');
  return { publicKey: stored.publicKey, privateKey: cipher.decryptSecret(stored.sealed, LOCATION) };
}
