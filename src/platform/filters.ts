/** By what a list can be narrowed: every id, enum and boolean field of its rows, read off their shape. Browser-safe. */
import { z } from 'zod';
import { unwrapShape } from './change.ts';
import { reference } from './contract.ts';

type FilterOf<K, T> = K extends 'id' | `${string}_id`
  ? T extends number
    ? z.ZodInt
    : z.ZodString
  : [T] extends [boolean]
    ? z.ZodBoolean
    : T extends string
      ? string extends T
        ? never
        : z.ZodType<T, T>
      : never;

/** The filters of a list of such rows, by field. */
export type FiltersOf<I extends z.ZodObject> = {
  [K in keyof z.output<I> as [FilterOf<K, NonNullable<z.output<I>[K]>>] extends [never] ? never : K]: FilterOf<
    K,
    NonNullable<z.output<I>[K]>
  >;
};

/** An id of another system, or of nobody. */
const textId = z.string().trim().min(1).max(200);

/**
 * Filters of the rows' own fields. `id` is one of `noun`, `lead_id` one of a lead; where a field is called otherwise
 * than its noun, the list says so itself.
 */
export function filtersOf<I extends z.ZodObject>(item: I, resource: string): FiltersOf<I> {
  const filters: Record<string, z.ZodType> = {};
  for (const [field, declared] of Object.entries(item.shape)) {
    const shape = unwrapShape(declared as z.ZodType);
    const isId = field === 'id' || field.endsWith('_id');
    if (isId && shape instanceof z.ZodString) filters[field] = textId;
    else if (isId) filters[field] = reference(field === 'id' ? resource : field.slice(0, -'_id'.length));
    else if (shape instanceof z.ZodBoolean || shape instanceof z.ZodEnum) filters[field] = shape;
  }
  return filters as FiltersOf<I>;
}
