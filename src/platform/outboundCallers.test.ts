/** All outbound requests go through `outbound.ts`, and no name that resolves to an internal address gets through it. */
import { type LookupAddress } from 'node:dns';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createOutbound, refusalReason, wasNotSent } from './outbound.ts';

const SOURCES = join(import.meta.dirname, '..');
/** Files that do not run in the production server: pages, proofs, the sandbox, the command of build pipelines. */
const ELSEWHERE = /^(?:sandbox|testing|proofs|ui|console|studio\/command)\/|\/pages\/|\.test\.tsx?$|\.testing\.ts$/;
const CALLS =
  /(?<![.\w])fetch\(|from '(?:node:)?(?:https?|http2|dgram|tls|undici|ws)'|new (?:WebSocket|EventSource|XMLHttpRequest)\(/;

describe('the outside', () => {
  it('makes outgoing requests only through outbound.ts', () => {
    const callers = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !ELSEWHERE.test(file))
      .filter((file) =>
        readFileSync(join(SOURCES, file), 'utf8')
          .split('\n')
          .some((line) => CALLS.test(line) && !/^\s*(?:\*|\/\/|\/\*|import type)/.test(line)),
      );
    expect(callers).toEqual(['platform/outbound.ts']);
  });
});

describe('a name', () => {
  it.concurrent.each([
    ['loopback', ['127.0.0.1']],
    ['loopback of IPv6', ['::1']],
    ['IPv4 within IPv6', ['::ffff:127.0.0.1']],
    ['IPv4 within IPv6, in hexadecimal', ['::ffff:7f00:1']],
    ['the metadata of a cloud', ['169.254.169.254']],
    ['the metadata of a cloud in IPv6', ['fd00:ec2::254']],
    ['an inner network', ['10.1.2.3', '192.168.1.1', '172.20.0.1']],
    ['a translated inner address', ['64:ff9b::a00:1', '2002:7f00:1::']],
    ['nothing', ['0.0.0.0', '::']],
    ['a broadcast', ['255.255.255.255', 'ff02::1']],
    ['no address at all', []],
  ])('refuses a name that resolves to %s', async (_what, addresses) => {
    const answer: LookupAddress[] = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const outbound = createOutbound({ loopback: false, hosts: [], ports: null }, (_host, _options, callback) =>
      callback(null, answer),
    );
    const hosts = ['api.example.com', 'api.example.com.', 'localtest.me', '127.0.0.1.nip.io'];
    await Promise.all(
      hosts.map(async (host) => {
        const error: unknown = await outbound
          .request(`https://${host}/`, { method: 'GET', timeoutMs: 5000 })
          .catch((e: unknown) => e);
        expect([host, wasNotSent(error), refusalReason(error)]).toEqual([host, true, 'name']);
      }),
    );
    await outbound.close();
  });

  it('refuses an internal name in the same words as an unknown one', async () => {
    const found = new Map([
      ['database.corp.example', '10.0.0.5'],
      ['gateway.corp.example', '192.168.0.1'],
    ]);
    const outbound = createOutbound({ loopback: false, hosts: [], ports: null }, (host, _options, callback) => {
      const address = found.get(host);
      if (address !== undefined) return callback(null, [{ address, family: 4 }]);
      callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), []);
    });
    const ask = async (host: string): Promise<unknown> => {
      const error: unknown = await outbound
        .request(`https://${host}/`, { method: 'GET', timeoutMs: 5000 })
        .catch((e: unknown) => e);
      const { cause } = error as Error;
      return [
        refusalReason(error),
        wasNotSent(error),
        String(error).replace(host, 'HOST'),
        String(cause).replace(host, 'HOST'),
      ];
    };
    const hosts = ['missing', 'database', 'absent', 'gateway'].map((name) => `${name}.corp.example`);
    const [first, ...others] = await Promise.all(hosts.map(ask));
    for (const one of others) expect(one).toEqual(first);
    await outbound.close();
  });

  it('resolves a name again for each connection, and refuses it once it resolves to a private address', async () => {
    let connections = 0;
    const listener = createServer().on('connection', () => connections++);
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { port } = listener.address() as AddressInfo;
    const answers = ['192.168.0.1', '127.0.0.1', '127.0.0.1'];
    let asked = 0;
    const outbound = createOutbound({ loopback: false, hosts: [], ports: null }, (_host, _options, callback) => {
      callback(null, [{ address: answers[asked++] ?? '127.0.0.1', family: 4 }]);
    });
    for (let each = 0; each < 3; each++) {
      const error: unknown = await outbound
        .request(`https://rebind.example:${port}/`, { method: 'GET', timeoutMs: 2000 })
        .catch((e: unknown) => e);
      expect(refusalReason(error)).toBe('name');
    }
    expect([asked, connections]).toEqual([3, 0]);
    await outbound.close();
    listener.close();
  });
});
