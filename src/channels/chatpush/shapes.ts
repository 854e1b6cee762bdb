/** Fields of ChatPush's hooks, read leniently. */
import { z } from 'zod';

export const optionalText = z.string().nullish().catch(null);
export const idOf = z.union([z.string().min(1).max(200), z.int()]).transform(String);
export const optionalId = idOf.nullish().catch(null);
/** A delivery's status, by its number: of what is none, `Number` would make 0, which is the status of a failure. */
export const statusId = z.union([
  z.int(),
  z
    .string()
    .trim()
    .regex(/^\d{1,9}$/)
    .transform(Number),
]);
const nestedStatus = z.object({ status_id: statusId, status_description: optionalText });
/** The status of a delivery, in an object of its own or beside the id. */
export const deliveryStatus = z.union([
  z.object({ status: nestedStatus }).transform(({ status }) => status),
  nestedStatus,
]);
export const seconds = z.coerce.number().positive().nullish().catch(null);
