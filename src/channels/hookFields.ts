/** Fields that vendors' hooks write in more than one way, read leniently. */
import { z } from 'zod';

/** A flag, which may come as a word or a number. */
export const flag = z
  .union([z.boolean(), z.stringbool(), z.int().min(0).max(1).transform(Boolean)])
  .nullish()
  .catch(null);

const plain = z.union([z.string(), z.number()]).transform(String);
/** What somebody has written, which may be a number, or be within an object. */
export const words = z
  .union([
    plain,
    z.object({ body: plain }).transform(({ body }) => body),
    z.object({ text: plain }).transform(({ text }) => text),
  ])
  .nullish()
  .catch(null);

/** A list, of which a vendor may send the only item alone. */
export const list = z
  .union([z.array(z.unknown()), z.looseObject({}).transform((one): unknown[] => [one])])
  .default([])
  .catch([]);

/** The years 2001 to 2100, in seconds. Whatever is later is in milliseconds. */
const FIRST_SECOND = 1_000_000_000;
const LAST_SECOND = 4_102_444_800;

/** Convert seconds or milliseconds since 1970 to milliseconds; null if no message can have that time. */
export function epochMs(time: number): number | null {
  const ms = time > LAST_SECOND ? time : time * 1000;
  return ms >= FIRST_SECOND * 1000 && ms <= LAST_SECOND * 1000 ? ms : null;
}
