/** Passwords: argon2id, with the parameters kept beside the hash. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(argon2);
/** OWASP's floor for argon2id: 19 MiB, two passes. Memory in KiB. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };

/**
 * Compared with when the login is unknown, so that the time taken tells nothing: as costly as a fresh one, and of no
 * password that anybody knows.
 */
export const DUMMY_HASH = [
  'argon2id',
  COST.memory,
  COST.passes,
  COST.parallelism,
  Buffer.alloc(16).toString('base64'),
  Buffer.alloc(32).toString('base64'),
].join('$');

const formOf = (password: string): string => password.normalize('NFKC');

/** Whether two passwords as they were typed are one. */
export const isSamePassword = (one: string, other: string): boolean => formOf(one) === formOf(other);

async function hashWith(password: string, nonce: Buffer, cost: typeof COST): Promise<Buffer> {
  return derive('argon2id', { message: Buffer.from(formOf(password)), nonce, tagLength: 32, ...cost });
}

/** A fresh hash: `argon2id$memory$passes$parallelism$nonce$tag`. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await hashWith(password, nonce, COST);
  return [
    'argon2id',
    COST.memory,
    COST.passes,
    COST.parallelism,
    nonce.toString('base64'),
    tag.toString('base64'),
  ].join('$');
}

/** Whether the password made this hash. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [kind, memory, passes, parallelism, nonce, tag] = stored.split('$');
  if (kind !== 'argon2id' || nonce === undefined || tag === undefined) return false;
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const computed = await hashWith(password, Buffer.from(nonce, 'base64'), cost);
  const expected = Buffer.from(tag, 'base64');
  return computed.length === expected.length && timingSafeEqual(computed, expected);
}
