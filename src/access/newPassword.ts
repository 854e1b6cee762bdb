/** Rules for new passwords. Those set before version 1.1 still work. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { refuse } from '../platform/refuse.ts';
import { operatorRefusals, PASSWORD_LENGTH } from './contract.ts';

const PRODUCT = 'rapport';
/**
 * The 100,000 most common passwords of at least ten characters, one per line, in lower case. See docs/third-party.md.
 */
const LIST_FILE = join(import.meta.dirname, 'commonPasswords.txt.br');

let cachedList: string | null = null;

/** Return the list as one text, each password between two line breaks. A search in it takes less than a millisecond. */
const commonPasswords = (): string =>
  (cachedList ??= `\n${brotliDecompressSync(readFileSync(LIST_FILE)).toString('utf8')}`);

/**
 * Require a password that is long enough and hard to guess. Throws `operator.short_password`, `operator.named_password`
 * if it is little more than the login or the product's name, and `operator.common_password`.
 */
export function requireStrongPassword(password: string, login: string): void {
  if (Array.from(password).length < PASSWORD_LENGTH) throw refuse(operatorRefusals, 'operator.short_password');
  const normalized = password.normalize('NFKC').toLowerCase();
  const lettersOnly = lettersAndDigits(normalized);
  for (const name of [PRODUCT, lettersAndDigits(login.normalize('NFKC').toLowerCase())])
    if (name !== '' && lettersOnly.replaceAll(name, '').length < PASSWORD_LENGTH / 2 && lettersOnly.includes(name))
      throw refuse(operatorRefusals, 'operator.named_password');
  if (new Set(lettersOnly).size < 4 || commonPasswords().includes(`\n${normalized}\n`))
    throw refuse(operatorRefusals, 'operator.common_password');
}

const lettersAndDigits = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');
