import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { WEBHOOK_SECRET } from '../testing/webhookReceiver.ts';
import { signatureHeaders } from './signature.ts';

it('signs as the published example of Standard Webhooks', () => {
  const delivery = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
  expect(signatureHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', delivery)).toEqual({
    'webhook-id': delivery.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it('is verified by the code in the guide', async () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/webhooks.md'), 'utf8');
  const [, code = ''] = /```js\n(.*?)```/s.exec(guide) ?? [];
  const { receive } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    receive: (headers: Record<string, string>, body: string, secret: string) => unknown;
  };
  const body = '{"type":"test"}';
  const sign = (timestamp: number) => signatureHeaders(WEBHOOK_SECRET, { id: 'a', timestamp, body });
  const now = Math.floor(Date.now() / 1000);
  expect(receive(sign(now), body, WEBHOOK_SECRET)).toEqual({ type: 'test' });
  expect(() => receive(sign(now), '{"type":"other"}', WEBHOOK_SECRET)).toThrow('Not from Rapport');
  expect(() => receive({ ...sign(now - 900), 'webhook-timestamp': String(now) }, body, WEBHOOK_SECRET)).toThrow(
    'Not from Rapport',
  );
  expect(() => receive(sign(now - 900), body, WEBHOOK_SECRET)).toThrow('Too old');
});
