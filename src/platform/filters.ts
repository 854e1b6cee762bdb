/** Filters of a list: every id, enum and boolean field of its rows, derived from their shape. Browser-safe. */
import { z } from 'zod';
import { unwrapShape } from './change.ts';
import { externalId, reference } from './contract.ts';

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

/** The filters of a list of rows with this shape, by field. */
export type FiltersOf<I extends z.ZodObject> = {
  [K in keyof z.output<I> as [FilterOf<K, NonNullable<z.output<I>[K]>>] extends [never] ? never : K]: FilterOf<
    K,
    NonNullable<z.output<I>[K]>
  >;
};

/** An id of another system, or one that references no resource. */
const textId = externalId(z.string().trim().min(1).max(200));

/**
 * Derive the filters of the rows' own fields. `id` refers to `resource`, `lead_id` to a lead; where a field is named
 * differently from its resource, the list declares the filter itself.
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
