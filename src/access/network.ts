/** Where somebody comes from, as far as guessing passwords goes. Pure. */
import { isIPv4, isIPv6 } from 'node:net';

/**
 * The network that one customer of a provider has to himself: an IPv4 address, or the first 64 bits of an IPv6 one,
 * since whoever has one of those has 2^64 of them. IPv4 within IPv6 is IPv4. What is no address stays as it is.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (!isIPv6(address)) return address;
  const [before = '', after] = (address.split('%')[0] ?? '').split('::');
  const head = before === '' ? [] : before.split(':');
  // An IPv4 tail stands for two groups, and is in the second half of the address anyway.
  const tail =
    after === undefined || after === ''
      ? []
      : after.split(':').flatMap((one) => (one.includes('.') ? ['0', '0'] : [one]));
  const missing = after === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail].slice(0, 4);
  const network = groups.map((one) => Number.parseInt(one, 16).toString(16));
  return isThisMachine(address) ? address : `${network.join(':')}::/64`;
}

/** Whether somebody comes from this very machine. */
export function isThisMachine(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
