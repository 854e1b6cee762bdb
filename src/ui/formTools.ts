/** The assistant's tools for a list's form: create a row and change one. */
import { z } from 'zod';
import { uncheckedId } from '../platform/contract.ts';
import { call } from './api.ts';
import type { Field, FormValues } from './form.ts';
import { t } from './i18n.ts';
import { type Undo, Undoable } from './pageContext.ts';
import { argumentsError, pageTool, type ToolWithHandler } from './pageTool.ts';
import type { Row, WritableResource } from './resource.ts';
import { nullIfNotFound, storedUndo } from './undo.ts';

interface FormToolsOptions<T extends Row> {
  /** Singular name, as shown to the operator. */
  readonly singular: string;
  readonly crud: Pick<WritableResource<T>, 'resource' | 'create' | 'replace' | 'get' | 'remove'>;
  /** Fields of a new row. */
  readonly fields: readonly Field[];
  /** Initial values of a new row. */
  readonly preset: FormValues;
  readonly nameOf: (row: T) => string;
  /** Called after rows have changed. */
  readonly refresh: () => Promise<unknown>;
}

/** Create the tools. Only for resources without secrets: the assistant reads and writes every field of the form. */
export function formTools<T extends Row>({
  singular,
  crud,
  fields,
  preset,
  nameOf,
  refresh,
}: FormToolsOptions<T>): ToolWithHandler[] {
  const shape = schemasOf(crud.resource, crud.create.body, fields);
  if (shape === null) return [];
  const read = (id: number) => nullIfNotFound<T>(call(crud.get, { params: { id } }));
  const replace = async (id: number, row: object) => {
    const now = await call(crud.replace, {
      params: { id },
      body: parseOrThrow(crud.replace.body, bodyOfRow(crud, row)),
    });
    await refresh();
    return now;
  };
  return [
    pageTool({
      name: 'create_row',
      description: t('Creates a {{noun}}.', { noun: singular }),
      input: shape.whole,
      confirm: true,
      run: async (args) => {
        const created = await call(crud.create, { body: parseOrThrow(crud.create.body, { ...preset, ...args }) });
        await refresh();
        const undo: Undo = storedUndo<T | null>({
          after: created,
          read: () => read(created.id),
          restore: async () => {
            await call(crud.remove, { params: { id: created.id } });
            await refresh();
          },
        });
        return new Undoable({ status: 'created', id: created.id, name: nameOf(created) }, undo);
      },
    }),
    pageTool({
      name: 'change_row',
      description: t('Changes a {{noun}} by its id; omitted fields keep their values.', { noun: singular }),
      input: shape.part,
      confirm: true,
      run: async ({ id: idInput, ...args }) => {
        const id = uncheckedId.parse(idInput);
        const before = await call(crud.get, { params: { id } });
        const after = await replace(id, { ...before, ...args });
        const undo = storedUndo<T | null>({ after, read: () => read(id), restore: () => replace(id, before) });
        return new Undoable({ status: 'changed', id, name: nameOf(after) }, undo);
      },
    }),
  ];
}

/** Build the contract's schemas for the form's fields: all fields for a new row, each one optional for a change. */
function schemasOf(
  resource: string,
  body: z.ZodType,
  fields: readonly Field[],
): { whole: z.ZodObject; part: z.ZodObject } | null {
  if (!(body instanceof z.ZodObject)) return null;
  const names = fields.filter(({ kind }) => kind !== 'hidden' && kind !== 'readonly').map(({ name }) => name);
  const key = [resource, ...names].join(' ');
  const cached = schemaCache.get(key);
  if (cached) return cached;
  const whole = Object.entries(body.shape).filter(([name]) => names.includes(name));
  const schemas = {
    whole: z.strictObject(Object.fromEntries(whole)),
    part: z.strictObject({
      id: uncheckedId,
      ...Object.fromEntries(whole.map(([name, schema]) => [name, withoutDefault(schema).optional()])),
    }),
  };
  schemaCache.set(key, schemas);
  return schemas;
}

/** Schemas by form, so that each is built only once. */
const schemaCache = new Map<string, { whole: z.ZodObject; part: z.ZodObject }>();

function withoutDefault(schema: z.ZodType): z.ZodType {
  const inner = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault ? schema.unwrap() : schema;
  if (!(inner instanceof z.ZodType)) throw new Error('A field is of no known type');
  return inner;
}

/** Keep the fields of a row that its form sends. */
function bodyOfRow(crud: { readonly replace: { readonly body: z.ZodType } }, row: object): Record<string, unknown> {
  const { body } = crud.replace;
  const names = body instanceof z.ZodObject ? Object.keys(body.shape) : [];
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));
}

function parseOrThrow(schema: z.ZodType, value: unknown): unknown {
  const read = schema.safeParse(value);
  if (!read.success) throw argumentsError(read.error);
  return read.data;
}
