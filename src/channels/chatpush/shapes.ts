/** Fields of ChatPush's hooks, read leniently. */
import { z } from 'zod';

export const optionalText = z.string().nullish().catch(null);
export const idOf = z.union([z.string().min(1).max(200), z.int()]).transform(String);
export const optionalId = idOf.nullish().catch(null);
export const seconds = z.coerce.number().positive().nullish().catch(null);
