/** The network of a client, for counting password guesses. Pure. */
import { isIPv4, isIPv6 } from 'node:net';

/** The one network of all clients whose address is none: a proxy that writes nonsense must not lift the limit. */
const NO_ADDRESS = 'unknown';

/**
 * Return the network that one customer of a provider has: an IPv4 address, or the first 64 bits of an IPv6 address,
 * because such a customer has 2^64 of them. IPv4 within IPv6 counts as IPv4. What some proxies write around an address
 * (a port, brackets, quotes, a zone, a list) does not count. All text that is no address is one network.
 */
export function networkOf(text: string): string {
  const address = plainAddress(text);
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return NO_ADDRESS;
  // A URL writes each address in one form only.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  if (isThisMachine(canonical)) return canonical;
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(canonical) ?? [];
  if (high !== undefined && low !== undefined)
    return [high, low]
      .map((group) => Number.parseInt(group, 16))
      .flatMap((group) => [group >> 8, group & 255])
      .join('.');
  const [before = '', after] = canonical.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}

/** Return an address without what is written around it. Of a list, the last one: the nearest proxy has added it. */
function plainAddress(text: string): string {
  const last = text.slice(text.lastIndexOf(',') + 1).trim();
  const unquoted = /^"(.*)"$/.exec(last)?.[1] ?? last;
  const inBrackets = /^\[([^\]]*)\](?::\d*)?$/.exec(unquoted)?.[1];
  const address = inBrackets ?? /^([\d.]+):\d*$/.exec(unquoted)?.[1] ?? unquoted;
  return address.split('%')[0] ?? '';
}

/** Report whether the address is this machine's own. */
export function isThisMachine(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
