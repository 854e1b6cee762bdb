/** What the assistant may do with the form of a list: make a row, and change one. */
import { z } from 'zod';
import { plainId } from '../platform/contract.ts';
import { call } from './api.ts';
import type { Field, FormValues } from './form.ts';
import { type Undo, Undoable } from './pageContext.ts';
import { misfit, pageTool, type ToolOfPage } from './pageTool.ts';
import type { Row, Writable } from './resource.ts';
import { t } from './t.ts';
import { storedUndo, unlessGone } from './undo.ts';

interface FormOf<T extends Row> {
  /** Singular, as the operator reads it. */
  readonly noun: string;
  readonly crud: Pick<Writable<T>, 'noun' | 'create' | 'replace' | 'get' | 'remove'>;
  /** Of a new row. */
  readonly fields: readonly Field[];
  /** What a new row begins with. */
  readonly preset: FormValues;
  readonly nameOf: (row: T) => string;
  /** After rows have changed. */
  readonly refresh: () => Promise<unknown>;
}

/** Only for nouns without secrets: the assistant sees and gives every field of the form. */
export function formTools<T extends Row>({ noun, crud, fields, preset, nameOf, refresh }: FormOf<T>): ToolOfPage[] {
  const shape = shapeOf(crud.noun, crud.create.body, fields);
  if (shape === null) return [];
  const read = (id: number) => unlessGone<T>(call(crud.get, { params: { id } }));
  const replace = async (id: number, row: object) => {
    const now = await call(crud.replace, { params: { id }, body: parsed(crud.replace.body, bodyFrom(crud, row)) });
    await refresh();
    return now;
  };
  return [
    pageTool({
      name: 'create_row',
      description: t('Creates a {{noun}}.', { noun }),
      input: shape.whole,
      confirm: true,
      run: async (given) => {
        const made = await call(crud.create, { body: parsed(crud.create.body, { ...preset, ...given }) });
        await refresh();
        const undo: Undo = storedUndo<T | null>({
          left: made,
          read: () => read(made.id),
          putBack: async () => {
            await call(crud.remove, { params: { id: made.id } });
            await refresh();
          },
        });
        return new Undoable({ status: 'created', id: made.id, name: nameOf(made) }, undo);
      },
    }),
    pageTool({
      name: 'change_row',
      description: t('Changes a {{noun}} by its id; what is left out stays.', { noun }),
      input: shape.part,
      confirm: true,
      run: async ({ id: named, ...given }) => {
        const id = plainId.parse(named);
        const before = await call(crud.get, { params: { id } });
        const left = await replace(id, { ...before, ...given });
        const undo = storedUndo<T | null>({ left, read: () => read(id), putBack: () => replace(id, before) });
        return new Undoable({ status: 'changed', id, name: nameOf(left) }, undo);
      },
    }),
  ];
}

/** The fields of the form, by the contract's own rules: all of them, and each by itself. */
function shapeOf(
  noun: string,
  body: z.ZodType,
  fields: readonly Field[],
): { whole: z.ZodObject; part: z.ZodObject } | null {
  if (!(body instanceof z.ZodObject)) return null;
  const names = fields.filter(({ kind }) => kind !== 'hidden' && kind !== 'readonly').map(({ name }) => name);
  const key = [noun, ...names].join(' ');
  const known = written.get(key);
  if (known) return known;
  const whole = Object.entries(body.shape).filter(([name]) => names.includes(name));
  const made = {
    whole: z.strictObject(Object.fromEntries(whole)),
    part: z.strictObject({
      id: plainId,
      ...Object.fromEntries(whole.map(([name, schema]) => [name, withoutDefault(schema).optional()])),
    }),
  };
  written.set(key, made);
  return made;
}

/** Written out once for each form. */
const written = new Map<string, { whole: z.ZodObject; part: z.ZodObject }>();

function withoutDefault(schema: z.ZodType): z.ZodType {
  const inner = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault ? schema.unwrap() : schema;
  if (!(inner instanceof z.ZodType)) throw new Error('A field is of no known type');
  return inner;
}

/** Of a row what its form sends. */
function bodyFrom(crud: { readonly replace: { readonly body: z.ZodType } }, row: object): Record<string, unknown> {
  const { body } = crud.replace;
  const names = body instanceof z.ZodObject ? Object.keys(body.shape) : [];
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));
}

function parsed(schema: z.ZodType, value: unknown): unknown {
  const read = schema.safeParse(value);
  if (!read.success) throw misfit(read.error);
  return read.data;
}
