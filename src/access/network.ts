/** The network of a client, for counting password guesses. Pure. */
import { isIPv4, isIPv6 } from 'node:net';

/**
 * Return the network that one customer of a provider has: an IPv4 address, or the first 64 bits of an IPv6 address,
 * because such a customer has 2^64 of them. IPv4 within IPv6 counts as IPv4. Text that is no address is returned as it
 * is.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (!isIPv6(address)) return address;
  const [before = '', after] = (address.split('%')[0] ?? '').split('::');
  const head = before === '' ? [] : before.split(':');
  // An IPv4 tail replaces two groups, and is in the second half of the address anyway.
  const tail =
    after === undefined || after === ''
      ? []
      : after.split(':').flatMap((one) => (one.includes('.') ? ['0', '0'] : [one]));
  const missing = after === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail].slice(0, 4);
  const network = groups.map((one) => Number.parseInt(one, 16).toString(16));
  return isThisMachine(address) ? address : `${network.join(':')}::/64`;
}

/** Report whether the address is this machine's own. */
export function isThisMachine(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
