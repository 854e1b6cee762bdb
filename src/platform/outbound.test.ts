import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutbound, isPublicAddress, NotSent, type Outbound, type Resolve, wasNotSent } from './outbound.ts';

describe('an address', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '100.63.255.255',
    '100.128.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '::ffff:8.8.8.8',
  ])('classifies %s as public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '::ffff:168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::FFFF:10.0.0.1',
    '::ffff:7f00:1',
    // A public address in this form is valid, but never used in practice.
    '::ffff:808:808',
    '::ffff:a9fe:a9fe',
    '0:0:0:0:0:ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    '0:0:0:0:ffff:0:7f00:1',
    '::ffff:0:127.0.0.1',
    'localhost',
    '',
    '127.1',
    '999.1.1.1',
  ])('classifies %s as not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('a request in production', () => {
  const outbound = createOutbound({ loopback: false, hosts: [], ports: [443] });
  afterAll(() => outbound.close());

  it.each([
    ['plain http', 'http://example.com/'],
    ['another protocol', 'ftp://example.com/'],
    ['a file', 'file:///etc/passwd'],
    ['data', 'data:text/plain,x'],
    ['loopback', 'https://127.0.0.1/'],
    ['loopback by name', 'https://localhost/'],
    ['loopback in one decimal number', 'https://2130706433/'],
    ['loopback in hexadecimal', 'https://0x7f000001/'],
    ['loopback in hexadecimal parts', 'https://0x7f.0.0.1/'],
    ['loopback in octal', 'https://0177.0.0.1/'],
    ['loopback shortened', 'https://127.1/'],
    ['loopback with a dot', 'https://localhost./'],
    ['nothing', 'https://0/'],
    ['IPv6 loopback', 'https://[::1]/'],
    ['IPv4 mapped into IPv6', 'https://[::ffff:127.0.0.1]/'],
    ['an inner address', 'https://10.0.0.1/'],
    ['the cloud’s metadata', 'https://169.254.169.254/latest/meta-data/'],
    ['a user name', 'https://api.example.com@127.0.0.1/'],
    ['a user name before a public host', 'https://user:secret@example.com/'],
    ['full-width digits', 'https://１２７.０.０.１/'],
    ['no URL', 'not a url'],
    ['nothing at all', ''],
  ])('refuses an outgoing request to %s', async (_name, url) => {
    const error: unknown = await outbound.request(url, { method: 'GET', timeoutMs: 2000 }).catch((e: unknown) => e);
    expect(wasNotSent(error)).toBe(true);
    expect(String(error)).not.toContain('secret');
  });

  it('never connects to a name that resolves to a private address', async () => {
    let connections = 0;
    const listener = createServer().on('connection', () => connections++);
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { port } = listener.address() as AddressInfo;
    const resolving = createOutbound({ loopback: false, hosts: [], ports: null }, (_host, _options, callback) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }]),
    );
    const error: unknown = await resolving
      .request(`https://rebind.example:${port}/`, { method: 'GET', timeoutMs: 2000 })
      .catch((e: unknown) => e);
    expect(wasNotSent(error)).toBe(true);
    expect(error instanceof Error ? error.cause : null).toBeInstanceOf(NotSent);
    expect(connections).toBe(0);
    await resolving.close();
    listener.close();
  });
});

describe('a request', () => {
  let server: Server;
  let base: string;
  let outbound: Outbound;
  const seen: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(request.url ?? '');
      switch (request.url) {
        case '/redirect':
          return response.writeHead(302, { location: '/secret' }).end();
        case '/large': {
          const chunk = Buffer.alloc(256 * 1024, 'x');
          for (let at = 0; at < 12; at++) response.write(chunk);
          return response.end();
        }
        case '/endless': {
          const write = (): void => {
            while (response.write(Buffer.alloc(256 * 1024, 'x')));
          };
          response.on('drain', write).on('error', () => undefined);
          return write();
        }
        case '/just':
          return response.end(Buffer.alloc(2 * 1024 * 1024, 'x'));
        case '/never':
          return undefined;
        case '/slow':
          return response.writeHead(200).write('a');
        default: {
          let body = '';
          request.setEncoding('utf8').on('data', (text: string) => (body += text));
          request.on('end', () => {
            response
              .writeHead(207, { 'x-seen': request.method })
              .end(`got ${body} ${String(request.headers['x-key'])}`);
          });
        }
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    outbound = createOutbound({ loopback: true, hosts: [], ports: [443] });
  });
  afterAll(async () => {
    await outbound.close();
    server.closeAllConnections();
    server.close();
  });

  it('returns status, headers and text', async () => {
    const answer = await outbound.request(`${base}/x`, {
      method: 'POST',
      headers: { 'x-key': 'k' },
      body: 'this',
      timeoutMs: 2000,
    });
    expect([answer.status, answer.headers['x-seen'], answer.text]).toEqual([207, 'POST', 'got this k']);
  });

  it('follows no redirects', async () => {
    await expect(outbound.request(`${base}/redirect`, { method: 'GET', timeoutMs: 2000 })).rejects.toThrow();
    expect(seen).not.toContain('/secret');
  });

  it('reads at most 2 MB of a response', async () => {
    const just = await outbound.request(`${base}/just`, { method: 'GET', timeoutMs: 5000 });
    expect(just.text).toHaveLength(2 * 1024 * 1024);
    await expect(outbound.request(`${base}/large`, { method: 'GET', timeoutMs: 5000 })).rejects.toThrow(/2 MB/);
  });

  it.each(['/never', '/slow'])('times out when the server does not end: %s', async (path) => {
    const error: unknown = await outbound
      .request(`${base}${path}`, { method: 'GET', timeoutMs: 200 })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(Error);
    // The request may have been processed: the outcome is unknown, not "not sent".
    expect(wasNotSent(error)).toBe(false);
  });

  it('reports that nothing was sent when the connection is refused', async () => {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const error: unknown = await outbound
      .request(`http://127.0.0.1:${port}/`, { method: 'GET', timeoutMs: 2000 })
      .catch((e: unknown) => e);
    expect(wasNotSent(error)).toBe(true);
  });

  it('connects to an allowed host and port on a private address and to no other', async () => {
    const named = createOutbound({ loopback: false, hosts: [new URL(base).host], ports: [443] });
    expect((await named.request(`${base}/x`, { method: 'GET', timeoutMs: 2000 })).status).toBe(207);
    const others = [base.replace('127.0.0.1', 'localhost'), 'http://127.0.0.1:1', 'https://127.0.0.1:1'];
    for (const other of others)
      await expect(named.request(`${other}/x`, { method: 'GET', timeoutMs: 2000 })).rejects.toThrow(NotSent);
    await named.close();
  });

  it('names an allowed host without a port by the port of the protocol', async () => {
    const named = createOutbound({ loopback: false, hosts: ['llm.local:443', '[fd00::1]:80'], ports: [443] });
    expect(named.addressRefusal('https://llm.local/v1')).toBeNull();
    expect(named.addressRefusal('http://[fd00::1]/v1')).toBeNull();
    await named.close();
  });

  it('says which port the setting has to name, and reaches public hosts as ever', async () => {
    const hosts = ['llm.local:443', 'llm.local:80', 'llm.example.com:443', '[fd00::1]:80'];
    const resolve: Resolve = (_host, _options, callback) => callback(null, [{ address: '10.0.0.9', family: 4 }]);
    const named = createOutbound({ loopback: false, hosts, ports: null }, resolve);
    const sentence = (wanted: string) =>
      `RAPPORT_LLM_HOSTS opens ${wanted.slice(0, wanted.lastIndexOf(':'))} at other ports; it has to name ${wanted}.`;
    for (const [url, wanted] of [
      ['http://llm.local:8000/v1', 'llm.local:8000'],
      ['https://llm.local:8443/v1', 'llm.local:8443'],
      ['http://[fd00::1]:11434/v1', '[fd00::1]:11434'],
    ] as const)
      expect(named.addressRefusal(url)).toBe(sentence(wanted));
    // A name that only its address shows to be internal.
    await expect(named.request('https://llm.example.com:8000/v1', { method: 'GET', timeoutMs: 2000 })).rejects.toThrow(
      sentence('llm.example.com:8000'),
    );
    expect(named.addressRefusal('https://llm.example.com:8000/v1')).toBeNull();
    expect(named.addressRefusal('http://other.local/v1')).toMatch('Only https');
    await named.close();
  });

  it.each(['http://example.com/', 'https://example.com:22/', 'https://example.com:8443/', 'https://8.8.8.8:80/'])(
    'refuses %s: a public host, but another port than 443',
    (url) => {
      const strict = createOutbound({ loopback: false, hosts: [], ports: [443] });
      expect(strict.addressRefusal(url)).not.toBeNull();
      expect(strict.addressRefusal('https://example.com/')).toBeNull();
      expect(
        createOutbound({ loopback: false, hosts: [], ports: [443, 8443] }).addressRefusal('https://example.com:8443/'),
      ).toBeNull();
    },
  );

  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost..',
    'hooks.localhost',
    'localhost.localdomain',
    'localhost6.localdomain6',
    'ip6-localhost',
    'ip6-loopback',
    'printer',
    'printer.local',
    'router.home.arpa',
    'metadata.google.internal',
    'Metadata.Google.Internal.',
  ])('refuses the name %s before it is resolved', async (host) => {
    const strict = createOutbound({ loopback: false, hosts: [], ports: null });
    expect(strict.addressRefusal(`https://${host}/`)).not.toBeNull();
    await strict.close();
  });

  it('applies the same rules to streams', async () => {
    const call = { headers: {}, body: 'that', signal: AbortSignal.timeout(2000) };
    const answer = await outbound.stream(`${base}/x`, call);
    expect([answer.status, await answer.text()]).toEqual([207, expect.stringMatching(/^got that/)]);
    await expect(outbound.stream(`${base}/redirect`, call)).rejects.toThrow('redirects to another address');
    await expect((await outbound.stream(`${base}/large`, call)).text()).rejects.toThrow(/2 MB/);
    await expect(outbound.stream('http://10.0.0.1/', call)).rejects.toThrow(NotSent);
    expect(seen).not.toContain('/secret');
  });

  it('ends a stream at 8 MB, and when the caller aborts it', async () => {
    const read = async (path: string, signal: AbortSignal): Promise<number> => {
      const { body } = await outbound.stream(`${base}${path}`, { headers: {}, body: '', signal });
      let size = 0;
      for await (const chunk of body) size += Buffer.byteLength(chunk);
      return size;
    };
    expect(await read('/large', AbortSignal.timeout(5000))).toBe(12 * 256 * 1024);
    await expect(read('/endless', AbortSignal.timeout(5000))).rejects.toMatchObject({
      code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
    });
    const controller = new AbortController();
    const reading = read('/slow', controller.signal);
    controller.abort(new Error('Enough'));
    await expect(reading).rejects.toThrow();
  });
});
