/**
 * Outbound HTTP: every request to the outside goes through here. Allows https only (plus loopback in the sandbox, and
 * for models the hosts named in the settings), follows no redirects, checks the address at the moment of connecting,
 * and limits ports, size and time.
 */
import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { Agent, type Dispatcher, request as undiciRequest } from 'undici';
import { isLoopback } from './config.ts';

export interface OutboundRequest {
  readonly method: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** Milliseconds until the head and body of the answer have arrived. */
  readonly timeoutMs: number;
}

export interface OutboundAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface OutboundStreamRequest {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** An answer whose body is read as it arrives, up to 8 MB. Aborting the request ends the body with an error. */
export interface OutboundStream {
  readonly status: number;
  readonly statusText: string;
  /** By lower-case name. */
  readonly headers: OutboundAnswer['headers'];
  readonly body: Readable;
  /** Read the whole body up to 2 MB. */
  text(): Promise<string>;
}

export interface Outbound {
  /** Make one request and read its answer up to 2 MB. Throws on anything but an answer: the outcome is then unknown. */
  request(url: string, request: OutboundRequest): Promise<OutboundAnswer>;
  /** Post one request and return its answer before the body has arrived. Throws on anything but an answer. */
  readonly stream: (url: string, request: OutboundStreamRequest) => Promise<OutboundStream>;
  /** Return why an address is refused whatever its name resolves to; null if it is not. */
  addressRefusal(url: string): string | null;
  close(): Promise<void>;
}

/** The request was not made at all: nothing was sent. */
export class NotSent extends Error {}

/** A host name without a public address. The error does not reveal whether the name exists within this network. */
class NoPublicAddress extends NotSent {
  constructor(host: string) {
    super(`${host} has no public address`);
  }
}

/** A redirect may lead anywhere: none is followed. */
class Redirected extends Error {}

/** A request got no whole answer. The message is a sentence for operators that names the host. */
export class NoAnswer extends Error {
  constructor(host: string, cause: unknown) {
    super(`${host} ${whatFailed(cause)}`, { cause });
  }
}

/** What went wrong with a connection, by the codes of Node and undici. */
const CONNECTION_FAULTS: readonly (readonly [RegExp, string])[] = [
  [/^(?:ENOTFOUND|EAI_)/, 'cannot be reached: the name was not found'],
  [/^ECONNREFUSED$/, 'refuses the connection'],
  [/^(?:UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'cannot be reached: there was no connection in time'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, 'cannot be reached: there is no route to it'],
  [/^(?:ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/, 'has no valid certificate'],
  [/^(?:EPROTO|ERR_SSL_)/, 'does not speak https at this port'],
  [/^HPE_/, 'does not speak HTTP'],
  [/^UND_ERR_RES_EXCEEDED_MAX_SIZE$/, 'answered with too much'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'cut the connection'],
];

function whatFailed(error: unknown): string {
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    if (one instanceof NoPublicAddress) return 'cannot be reached: it has no public address';
    if (one instanceof Redirected) return 'redirects to another address, which is not followed';
    if (one.name === 'TimeoutError') return 'did not answer in time';
    const code = 'code' in one ? String(one.code) : '';
    const fault = CONNECTION_FAULTS.find(([codes]) => codes.test(code));
    if (fault) return fault[1];
  }
  return 'did not answer';
}

/**
 * Minimum time before a name is refused, in milliseconds. Names of this network resolve quickly and unknown ones do
 * not; the delay hides the difference.
 */
const MIN_REFUSAL_MS = 250;

const MAX_ANSWER = 2 * 1024 * 1024;
/** Statuses that redirect a caller (RFC 9110, 15.4). */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Sent with each request: some vendors refuse a caller without a name. */
const USER_AGENT = 'rapport';
/** Limit for a stream: a token of four letters takes 300 bytes on the wire. */
const MAX_STREAM = 8 * 1024 * 1024;

const privateRanges = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // In a public range, yet internal: Azure's host, which serves certificates and settings of the machine.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  privateRanges.addSubnet(net, bits, 'ipv4');
}
for (const [net, bits] of [
  ['::', 96],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  privateRanges.addSubnet(net, bits, 'ipv6');
}

const globalRange = new BlockList();
globalRange.addSubnet('2000::', 3, 'ipv6');

/** Whether an IP address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return isPublicAddress(mapped[1]);
  if (/^::ffff:/i.test(address)) return false;
  const family = isIP(address);
  if (family === 0) return false;
  // One eighth of IPv6 is the public internet; the rest contains the many forms of an IPv4 address.
  if (family === 6) return globalRange.check(address, 'ipv6') && !privateRanges.check(address, 'ipv6');
  return !privateRanges.check(address, 'ipv4');
}

interface OutboundRules {
  /** Whether loopback may be reached, over plain http too. */
  readonly loopback: boolean;
  /** `host:port` that may be reached at any address, over plain http too. */
  readonly hosts: readonly string[];
  /** Ports of all other hosts; null for any. */
  readonly ports: readonly number[] | null;
}

/** Names that are never of the public internet (RFC 6761, 6762, 8375), beside those without a dot. */
const INTERNAL_NAME = /(?:^|\.)(?:localhost|localdomain|localdomain[46]|local|internal|home\.arpa)$/;

const isInternalName = (host: string): boolean => {
  const name = host.toLowerCase().replace(/\.+$/, '');
  return !name.includes('.') || INTERNAL_NAME.test(name);
};

const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'http:' ? 80 : 443));

/** The form of `dns.lookup` that returns all addresses of a name. */
export type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/** Create an agent. Without `anyAddress`, it checks each address at the moment of connecting. */
function createAgent({ anyAddress, resolve }: { anyAddress: boolean; resolve: Resolve }): Agent {
  return new Agent({
    // No limit here: a vendor that hangs would hold all connections, and requests for another model or with another key
    // would wait. The callers limit how many requests they make at once.
    connections: null,
    connectTimeout: 5000,
    keepAliveTimeout: 10_000,
    maxResponseSize: MAX_STREAM,
    connect: {
      // Refuse a name that resolves to an internal address at the moment of connecting, so that it cannot change
      // between a check and the connection.
      lookup(host, lookupOptions, callback) {
        const startedAt = performance.now();
        resolve(host, { ...lookupOptions, all: true }, (error, found) => {
          const addresses = error ? [] : found;
          const allowed = anyAddress ? addresses : addresses.filter((one) => isPublicAddress(one.address));
          const [first] = allowed;
          if (!first) {
            const delayMs = startedAt + MIN_REFUSAL_MS - performance.now();
            setTimeout(() => callback(new NoPublicAddress(host), ''), Math.max(0, delayMs));
            return;
          }
          if (lookupOptions.all) return callback(null, allowed);
          callback(null, first.address, first.family);
        });
      },
    },
  });
}

/** Explain that an exception holds for other ports of this host. In version 1.0.0 it held for all of them. */
function otherPort({ hosts }: OutboundRules, url: URL): string | null {
  const wanted = `${url.hostname}:${portOf(url)}`;
  const isElsewhere = hosts.some((one) => one.startsWith(`${url.hostname}:`)) && !hosts.includes(wanted);
  return isElsewhere ? `RAPPORT_LLM_HOSTS opens ${url.hostname} at other ports; it has to name ${wanted}.` : null;
}

/** Create the outbound client. `resolve` looks up the addresses of a name: the system's resolver, except in tests. */
export function createOutbound(rules: OutboundRules, resolve: Resolve = systemLookup): Outbound {
  const isException = (url: URL, host: string): boolean =>
    (rules.loopback && isLoopback(host)) || rules.hosts.includes(`${url.hostname}:${portOf(url)}`);

  /** Return the URL and the agent that may reach it. Throws NotSent. */
  function checkUrl(address: string): { url: URL; agent: Agent } {
    if (!URL.canParse(address)) throw new NotSent(`Not a URL: ${address.slice(0, 100)}`);
    const url = new URL(address);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (url.username || url.password) throw new NotSent('A URL with a user name is refused.');
    if (isException(url, host)) {
      if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new NotSent(`${url.protocol} is refused.`);
      return { url, agent: anyAddress };
    }
    if (url.protocol !== 'https:') throw new NotSent(otherPort(rules, url) ?? `Only https is allowed to ${url.host}.`);
    const isPublic = isIP(host) === 0 ? !isInternalName(host) : isPublicAddress(host);
    if (!isPublic) throw new NotSent(otherPort(rules, url) ?? `${host} is not a public address.`);
    if (rules.ports !== null && !rules.ports.includes(portOf(url)))
      throw new NotSent(`Port ${portOf(url)} is not allowed; an administrator of the server can allow it.`);
    return { url, agent: publicOnly };
  }

  const anyAddress = createAgent({ anyAddress: true, resolve });
  const publicOnly = createAgent({ anyAddress: false, resolve });

  /** Make one request under the rules. An error of the connection is the cause of the error thrown. */
  async function send(
    address: string,
    { headers, ...options }: Pick<Dispatcher.RequestOptions, 'method' | 'body' | 'signal'> & OutboundHeaders,
  ): Promise<Dispatcher.ResponseData> {
    const { url, agent } = checkUrl(address);
    const named = { accept: '*/*', 'user-agent': USER_AGENT, ...headers };
    try {
      const answer = await undiciRequest(url, { ...options, headers: named, dispatcher: agent });
      if (!REDIRECTS.has(answer.statusCode)) return answer;
      answer.body.on('error', () => undefined).destroy();
    } catch (cause) {
      const reason = refusalReason(cause) === 'name' ? otherPort(rules, url) : null;
      throw reason === null ? new NoAnswer(url.host, cause) : new NotSent(reason);
    }
    throw new NoAnswer(url.host, new Redirected());
  }

  return {
    async request(address, { method, headers, body, timeoutMs }) {
      const answer = await send(address, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await readText(answer.body).catch((cause: unknown) => {
        throw cause instanceof TooLarge ? cause : new NoAnswer(new URL(address).host, cause);
      });
      return { status: answer.statusCode, headers: answer.headers, text };
    },
    async stream(address, { headers, body, signal }) {
      const answer = await send(address, { method: 'POST', headers, body, signal });
      return {
        status: answer.statusCode,
        statusText: answer.statusText,
        headers: answer.headers,
        body: answer.body,
        text: () => readText(answer.body),
      };
    },
    addressRefusal(address) {
      try {
        checkUrl(address);
        return null;
      } catch (error) {
        if (error instanceof NotSent) return error.message;
        throw error;
      }
    },
    async close() {
      await Promise.all([anyAddress.destroy(), publicOnly.destroy()]);
    },
  };
}

interface OutboundHeaders {
  readonly headers?: Record<string, string> | undefined;
}

class TooLarge extends Error {}

async function readText(body: Readable): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER) throw new TooLarge('The answer is larger than 2 MB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Return which of our own rules kept a request from being made: `rule` for the address itself, `name` because its name
 * has no public address, which may change if a name server was unavailable; null when none did.
 */
export function refusalReason(error: unknown): 'rule' | 'name' | null {
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    if (one instanceof NoPublicAddress) return 'name';
    if (one instanceof NotSent) return 'rule';
  }
  return null;
}

/** Return a failure of a request as a sentence that names the host, without the point at its end. */
export const failureReason = (error: unknown): string =>
  error instanceof NoAnswer || error instanceof NotSent ? error.message.replace(/\.$/, '') : 'There was no answer';

/** Whether an error of `request` means that nothing was sent, so that a retry cannot send twice. */
export function wasNotSent(error: unknown): boolean {
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    if (one instanceof NotSent) return true;
    const code = 'code' in one ? one.code : undefined;
    if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'UND_ERR_CONNECT_TIMEOUT')
      return true;
  }
  return false;
}
