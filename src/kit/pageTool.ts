/** Tools of a page, each declared once: its arguments by zod, what it does, and how that is taken back. */
import { z } from 'zod';
import {
  drawn,
  type PageContext,
  type PageTool,
  type PageToolHandler,
  type TextChange,
  type Undoable,
} from './pageContext.ts';
import { t } from './t.ts';

interface Named<Input extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** The diff type: the text it changes, before and after. */
  readonly diff?: (args: z.output<Input>) => TextChange;
}

interface Looking<Input extends z.ZodObject> extends Named<Input> {
  readonly confirm?: false;
  readonly irreversible?: never;
  /** Gives what the assistant is told. */
  readonly run: (args: z.output<Input>) => Promise<unknown>;
}

/** It changes something: the operator confirms each call of it. */
interface Changing<Input extends z.ZodObject> extends Named<Input> {
  readonly confirm: true;
  readonly irreversible?: never;
  /** Throws, in words, where it did nothing. */
  readonly run: (args: z.output<Input>) => Promise<Undoable>;
}

interface Final<Input extends z.ZodObject> extends Named<Input> {
  readonly confirm: true;
  /** Why it cannot be undone, told before it is confirmed. */
  readonly irreversible: string;
  readonly run: (args: z.output<Input>) => Promise<unknown>;
}

type Declared<Input extends z.ZodObject> = Looking<Input> | Changing<Input> | Final<Input>;

/** A tool and its handler. */
export interface ToolOfPage {
  readonly tool: PageTool;
  readonly handler: PageToolHandler;
}

/** For tools without arguments. */
export const NO_ARGUMENTS = z.strictObject({});

/** Schemas that stand in a module are written out once, whatever is drawn how often. */
const written = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>();

/** Declares a tool. Its handler reads the arguments by `input` and throws, in words, when they do not fit. */
export function pageTool<Input extends z.ZodObject>(declared: Declared<Input>): ToolOfPage {
  const { name, description, input, confirm, irreversible, diff, run } = declared;
  const read = (args: Readonly<Record<string, unknown>>): z.output<Input> => {
    const outcome = input.safeParse(args);
    if (outcome.success) return outcome.data;
    throw misfit(outcome.error);
  };
  return {
    tool: {
      name,
      description,
      get parameters() {
        return schemaOf(input);
      },
      ...(confirm === undefined ? {} : { confirm }),
      ...(irreversible === undefined ? {} : { irreversible }),
    },
    handler: {
      call: async (args) => {
        const result = await run(read(args));
        await drawn();
        return result;
      },
      ...(diff === undefined ? {} : { diff: (args) => diff(read(args)) }),
    },
  };
}

/** Tools as a page context has them. */
export function pageTools(...tools: readonly ToolOfPage[]): Required<Pick<PageContext, 'tools' | 'handlers'>> {
  return {
    tools: tools.map(({ tool }) => tool),
    handlers: Object.fromEntries(tools.map(({ tool, handler }) => [tool.name, handler])),
  };
}

function schemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  const known = written.get(input);
  if (known) return known;
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  written.set(input, schema);
  return schema;
}

/** Why arguments are not taken, in words. */
export function misfit({ issues }: z.ZodError): Error {
  const reasons = issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
  return new Error(t('The arguments do not fit: {{reasons}}', { reasons: reasons.join('; ') }));
}
