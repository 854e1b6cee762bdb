/** Declare the assistant's tools of a page in one place: arguments as a Zod schema, action and undo. */
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
  /** For diff tools: returns the text before and after the change. */
  readonly diff?: (args: z.output<Input>) => TextChange;
}

interface ReadTool<Input extends z.ZodObject> extends ToolBase<Input> {
  readonly confirm?: false;
  readonly irreversible?: never;
  /** Returns the result for the assistant. */
  readonly run: (args: z.output<Input>) => Promise<unknown>;
}

/** A tool that changes something, so the operator confirms each call. */
interface WriteTool<Input extends z.ZodObject> extends ToolBase<Input> {
  readonly confirm: true;
  readonly irreversible?: never;
  /** Throws a message for the operator if it changed nothing. */
  readonly run: (args: z.output<Input>) => Promise<Undoable>;
}

interface IrreversibleTool<Input extends z.ZodObject> extends ToolBase<Input> {
  readonly confirm: true;
  /** Why the change cannot be undone, shown before the confirmation. */
  readonly irreversible: string;
  readonly run: (args: z.output<Input>) => Promise<unknown>;
}

type ToolDeclaration<Input extends z.ZodObject> = ReadTool<Input> | WriteTool<Input> | IrreversibleTool<Input>;

/** A tool and its handler. */
export interface ToolWithHandler {
  readonly tool: PageTool;
  readonly handler: PageToolHandler;
}

/** Input schema of tools without arguments. */
export const NO_ARGUMENTS = z.strictObject({});

/** JSON Schemas by Zod schema, so that module-level schemas are converted only once however often the page renders. */
const schemaCache = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>();

/** Declare a tool. Its handler parses the arguments with `input` and throws a readable message if they are invalid. */
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

/** Convert tools to the form of a page context. */
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

/** Build a readable error for invalid arguments. */
export function argumentsError({ issues }: z.ZodError): Error {
  const reasons = issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
  return new Error(t('The arguments do not fit: {{reasons}}', { reasons: reasons.join('; ') }));
}
