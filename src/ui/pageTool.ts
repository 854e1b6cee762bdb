/** Tools of a page, each declared once: its arguments by zod, what it does, and how that is taken back. */
import { z } from 'zod';
import { t } from './i18n.ts';
import {
  type PageContext,
  type PageTool,
  type PageToolHandler,
  type TextChange,
  type Undoable,
  waitForRender,
} from './pageContext.ts';

interface ToolBase<Input extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** The diff type: the text it changes, before and after. */
  readonly diff?: (args: z.output<Input>) => TextChange;
}

interface ReadTool<Input extends z.ZodObject> extends ToolBase<Input> {
  readonly confirm?: false;
  readonly irreversible?: never;
  /** Gives what the assistant is told. */
  readonly run: (args: z.output<Input>) => Promise<unknown>;
}

/** It changes something: the operator confirms each call of it. */
interface WriteTool<Input extends z.ZodObject> extends ToolBase<Input> {
  readonly confirm: true;
  readonly irreversible?: never;
  /** Throws, in words, where it did nothing. */
  readonly run: (args: z.output<Input>) => Promise<Undoable>;
}

interface IrreversibleTool<Input extends z.ZodObject> extends ToolBase<Input> {
  readonly confirm: true;
  /** Why it cannot be undone, told before it is confirmed. */
  readonly irreversible: string;
  readonly run: (args: z.output<Input>) => Promise<unknown>;
}

type ToolDeclaration<Input extends z.ZodObject> = ReadTool<Input> | WriteTool<Input> | IrreversibleTool<Input>;

/** A tool and its handler. */
export interface ToolWithHandler {
  readonly tool: PageTool;
  readonly handler: PageToolHandler;
}

/** For tools without arguments. */
export const NO_ARGUMENTS = z.strictObject({});

/** Schemas that stand in a module are written out once, whatever is drawn how often. */
const schemaCache = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>();

/** Declares a tool. Its handler reads the arguments by `input` and throws, in words, when they do not fit. */
export function pageTool<Input extends z.ZodObject>(declaration: ToolDeclaration<Input>): ToolWithHandler {
  const { name, description, input, confirm, irreversible, diff, run } = declaration;
  const read = (args: Readonly<Record<string, unknown>>): z.output<Input> => {
    const outcome = input.safeParse(args);
    if (outcome.success) return outcome.data;
    throw argumentsError(outcome.error);
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
        await waitForRender();
        return result;
      },
      ...(diff === undefined ? {} : { diff: (args) => diff(read(args)) }),
    },
  };
}

/** Tools as a page context has them. */
export function pageTools(...tools: readonly ToolWithHandler[]): Required<Pick<PageContext, 'tools' | 'handlers'>> {
  return {
    tools: tools.map(({ tool }) => tool),
    handlers: Object.fromEntries(tools.map(({ tool, handler }) => [tool.name, handler])),
  };
}

function schemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  const cached = schemaCache.get(input);
  if (cached) return cached;
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  schemaCache.set(input, schema);
  return schema;
}

/** Why arguments are not taken, in words. */
export function argumentsError({ issues }: z.ZodError): Error {
  const reasons = issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
  return new Error(t('The arguments do not fit: {{reasons}}', { reasons: reasons.join('; ') }));
}
