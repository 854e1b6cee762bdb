/**
 * The meaning of PUT and PATCH, for every resource. An omitted field keeps its value, inside declared objects too.
 * Lists and free maps are replaced as a whole. Read-only fields are accepted and ignored. Browser-safe.
 */
import { z } from 'zod';

/** The whole shape with every field optional, at every depth of declared objects. */
export type ChangeOf<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly unknown[]
    ? T
    : string extends keyof T
      ? T
      : { [K in keyof T]?: ChangeOf<T[K]> | undefined };

/** The body of PUT and PATCH for a resource that is written as `U` and read as `I`. */
export type ChangeShape<U extends z.ZodType, I extends z.ZodObject> = z.ZodType<
  ChangeOf<z.output<U>>,
  ChangeOf<z.input<U>> & { readonly [K in Exclude<keyof z.output<I>, keyof z.output<U>>]?: unknown }
>;

/** Unwrap a shape: remove its default, its null and its optionality. */
export function unwrapShape(shape: z.ZodType): z.ZodType {
  return shape instanceof z.ZodDefault ||
    shape instanceof z.ZodPrefault ||
    shape instanceof z.ZodNullable ||
    shape instanceof z.ZodOptional
    ? unwrapShape(shape.unwrap() as z.ZodType)
    : shape;
}

/** A read-only field: accepted in a body and ignored. */
export const readOnly = z.unknown().optional().meta({ readOnly: true });

/**
 * Make every field optional and remove its default, at every depth of declared objects. Rules across several fields are
 * left out: they are checked on the merged whole.
 */
export function partialShape<T extends z.ZodType>(shape: T): z.ZodType<ChangeOf<z.output<T>>, ChangeOf<z.input<T>>> {
  return makePartial(shape) as z.ZodType<ChangeOf<z.output<T>>, ChangeOf<z.input<T>>>;
}

function makePartial(shape: z.ZodType): z.ZodType {
  if (shape instanceof z.ZodDefault || shape instanceof z.ZodPrefault || shape instanceof z.ZodOptional)
    return makePartial(shape.unwrap() as z.ZodType);
  if (shape instanceof z.ZodNullable) return makePartial(shape.unwrap() as z.ZodType).nullable();
  return shape instanceof z.ZodObject ? z.strictObject(optionalFields(shape)) : shape;
}

const optionalFields = (shape: z.ZodObject): Record<string, z.ZodType> =>
  Object.fromEntries(
    Object.entries(shape.shape).map(([key, field]) => [key, makePartial(field as z.ZodType).optional()]),
  );

/**
 * Create the body of POST from the shape that is written and the item that is read: what a read returned may be sent.
 * The server drops read-only fields before a handler sees the body, so its type stays that of `whole`.
 */
export function createShape<C extends z.ZodType>(whole: C, item: z.ZodObject): C {
  if (!(whole instanceof z.ZodObject)) return whole;
  const others = Object.keys(item.shape).filter((key) => !Object.hasOwn(whole.shape, key));
  return whole.safeExtend(Object.fromEntries(others.map((key) => [key, readOnly]))) as unknown as C;
}

/** Create the body of PUT and PATCH from the shape that is written and the item that is read. */
export function changeShape<U extends z.ZodType, I extends z.ZodObject>(whole: U, item: I): ChangeShape<U, I> {
  const fields = whole instanceof z.ZodObject ? optionalFields(whole) : {};
  const others = Object.keys(item.shape).filter((key) => !Object.hasOwn(fields, key));
  return z.strictObject({
    ...fields,
    ...Object.fromEntries(others.map((key) => [key, readOnly])),
  }) as unknown as ChangeShape<U, I>;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function mergeFields(shape: z.ZodType, before: unknown, changes: unknown): unknown {
  const object = unwrapShape(shape);
  if (!(object instanceof z.ZodObject) || !isRecord(before) || !isRecord(changes)) return changes;
  const fields = Object.entries(object.shape).map(([key, field]) => [
    key,
    changes[key] === undefined ? before[key] : mergeFields(field as z.ZodType, before[key], changes[key]),
  ]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

export type ChangeResult<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly error: z.ZodError };

/**
 * Merge `changes` into `before`, the row as it is read, and validate the result. Fails when the result breaks a rule,
 * except where the row already broke that rule and the change does not name the field.
 */
export function applyChange<U extends z.ZodType>(whole: U, before: object, changes: object): ChangeResult<z.output<U>> {
  const result = mergeFields(whole, before, changes);
  const parsed = whole.safeParse(result);
  if (parsed.success) return parsed;
  const previousIssues = whole.safeParse(mergeFields(whole, before, {})).error?.issues.map(issueKey) ?? [];
  const issues = parsed.error.issues.filter(
    (one) => Object.hasOwn(changes, String(one.path[0])) || !previousIssues.includes(issueKey(one)),
  );
  if (issues.length > 0 || !(whole instanceof z.ZodObject) || !isRecord(result))
    return { success: false, error: new z.ZodError(issues) };
  const fields = Object.entries(result).map(([key, value]) => {
    const field = (whole.shape[key] as z.ZodType).safeParse(value);
    return [key, field.success ? field.data : value];
  });
  return { success: true, data: Object.fromEntries(fields) as z.output<U> };
}

const issueKey = ({ path, message }: z.core.$ZodIssue): string => `${path.join('.')} ${message}`;
