/** Passwords: argon2id, with the parameters stored beside the hash. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(argon2);
/** OWASP's minimum for argon2id: 19 MiB, two passes. Memory in KiB. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };

/**
 * Hash to compare with if the login is unknown, so that the time taken reveals nothing. It costs as much as a fresh
 * one, and matches no known password.
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

/** Report whether two passwords, as typed, are the same. */
export const isSamePassword = (one: string, other: string): boolean => formOf(one) === formOf(other);

async function hashWith(password: string, nonce: Buffer, cost: typeof COST): Promise<Buffer> {
  return derive('argon2id', { message: Buffer.from(formOf(password)), nonce, tagLength: 32, ...cost });
}

/** Hash a password: `argon2id$memory$passes$parallelism$nonce$tag`. */
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

/** Report whether the password matches the hash. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [kind, memory, passes, parallelism, nonce, tag] = stored.split('$');
  if (kind !== 'argon2id' || nonce === undefined || tag === undefined) return false;
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const computed = await hashWith(password, Buffer.from(nonce, 'base64'), cost);
  const expected = Buffer.from(tag, 'base64');
  return computed.length === expected.length && timingSafeEqual(computed, expected);
}
