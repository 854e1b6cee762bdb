/** A browser that is subscribed to pushes and has no page open: reads what the emulated push service holds for it. */
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { changeAlertSettings, subscribeToPushes } from '../desk/alertsContract.ts';
import type { PushMessage } from '../desk/pushMessageContract.ts';
import { CANARY } from './canaries.ts';
import type { Client } from './client.ts';
import type { World } from './world.ts';

export interface Push {
  readonly status: number;
  readonly topic: string | undefined;
  readonly message: PushMessage;
}

export interface PushBrowser {
  readonly id: string;
  readonly subscription: { endpoint: string; keys: { p256dh: string; auth: string } };
  /** Return what the push service was sent, decrypted, oldest first. */
  received(): Promise<Push[]>;
  /** Return the notifications that are shown now, and how many were shown in all: one with a shown tag replaces it. */
  notifications(): Promise<{ open: string[]; displayed: string[] }>;
}

export const ALERTS_ON = { sound: false, notifications: true, message_text: false, quiet_hours: null };

/** Subscribe a new browser with an operator's session; `settings` are the operator's. */
export async function subscribePushBrowser(
  world: World,
  client: Client,
  settings: Parameters<typeof changeAlertSettings.body.parse>[0] = ALERTS_ON,
): Promise<PushBrowser> {
  const browser = await createPushBrowser(world);
  const stored = await client.call(changeAlertSettings, { body: changeAlertSettings.body.parse(settings) });
  const subscribed = await client.call(subscribeToPushes, { body: browser.subscription });
  if (stored.status !== 200 || subscribed.status !== 204)
    throw new Error(`Not subscribed: ${stored.status} ${subscribed.status} ${JSON.stringify(subscribed.body)}`);
  return browser;
}

async function createPushBrowser({ control, emulatorDir }: World): Promise<PushBrowser> {
  const { readHolder } = await import('../sandbox/emulators/holder.ts');
  const id = `${CANARY}${randomBytes(6).toString('hex')}`;
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  const auth = randomBytes(16);
  const received = async (): Promise<Push[]> =>
    (await control.entriesOf('push'))
      .filter((entry) => entry.id === id)
      .map(({ status, topic, body }) => ({
        status,
        topic,
        message: JSON.parse(decrypt(Buffer.from(body, 'base64'), { ecdh, auth })) as PushMessage,
      }));
  return {
    id,
    subscription: {
      endpoint: `http://127.0.0.1:${readHolder(emulatorDir)?.port}/push/${id}`,
      keys: { p256dh: ecdh.getPublicKey('base64url'), auth: auth.toString('base64url') },
    },
    received,
    async notifications() {
      const open = new Set<string>();
      const displayed: string[] = [];
      for (const { status, message } of await received()) {
        if (status !== 201) continue;
        if (message.type === 'withdraw') open.delete(message.tag);
        else if (!open.has(message.tag)) {
          open.add(message.tag);
          displayed.push(message.tag);
        }
      }
      return { open: [...open], displayed };
    },
  };
}

interface BrowserKeys {
  readonly ecdh: ReturnType<typeof createECDH>;
  readonly auth: Buffer;
}

/** Decrypt a message as a browser does (RFC 8188 and 8291). */
function decrypt(body: Buffer, { ecdh, auth }: BrowserKeys): string {
  const salt = body.subarray(0, 16);
  const keyLength = body.readUInt8(20);
  const senderKey = body.subarray(21, 21 + keyLength);
  const derive = (key: Buffer, from: Buffer, info: Buffer, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', key, from, info, length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), senderKey]);
  const shared = derive(ecdh.computeSecret(senderKey), auth, info, 32);
  const key = derive(shared, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(shared, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const sealed = body.subarray(21 + keyLength);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  // The last record ends with a delimiter and zeros.
  return padded.subarray(0, padded.lastIndexOf(2)).toString();
}
