import { expect, it } from 'vitest';
import { phoneFromVendor } from '../leads/address.ts';
import { addressesOf } from './chats.ts';

it.each([
  ['anna_shop', ['anna_shop']],
  // What a person would have to write with an @ is exact here.
  ['anna', ['anna']],
  ['Maria', ['maria']],
  ['hidden', ['hidden']],
  ['id:200000000000001', []],
])('finds the stored form of the username %s from a vendor', (username, addresses) => {
  expect(addressesOf(username)).toEqual(addresses);
});

it.each([
  ['79161234567', ['79161234567']],
  ['4791234567', ['4791234567']],
  // Of a range that the library does not know.
  ['13812345678', ['13812345678']],
  ['447700900123', ['447700900123']],
])('finds the stored form of the number %s from a vendor', (digits, addresses) => {
  expect(addressesOf(phoneFromVendor(digits))).toEqual(addresses);
});
