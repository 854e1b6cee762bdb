/** Addresses as people paste them. */

import { readAddresses } from '../../leads/address.ts';
import addresses from '../../leads/addresses.corpus.json' with { type: 'json' };
import type { ContactType } from '../../leads/contract.ts';
import { type CorpusFile, corpusOf } from './corpus.ts';

interface AddressCase {
  readonly kind: string;
  readonly type: string;
  readonly input: string;
  /** Null: it is refused. */
  readonly address: string | null;
  /** The other addresses in the same text. */
  readonly more?: readonly string[];
  /** Why it is refused, or what beside the addresses is. */
  readonly reason?: string;
}

const file: CorpusFile<AddressCase> = addresses;

export const ADDRESSES = corpusOf('addresses', file, ({ type, input, address, more = [], reason }) => {
  const read = readAddresses(type as ContactType, input);
  const found = read.addresses.map((one) => one.address);
  return {
    input,
    expected: outcomeOf(address === null ? [] : [address, ...more], reason),
    actual: outcomeOf(found, read.refused[0]?.code),
  };
});

function outcomeOf(found: readonly string[], reason: string | undefined): string {
  return [...found, ...(reason === undefined ? [] : [`refused: ${reason}`])].join(', ');
}
