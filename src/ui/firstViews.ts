/** Which modules the first views of the console consist of: the build keeps those of a view in one file. */
import { build, type Plugin, type Rolldown } from 'vite';

/**
 * Build the views without splitting rules and without writing anything. Only a build knows what a view really needs:
 * packages re-export all of their components from one module.
 * @param views the modules that each view starts with
 * @returns a function that returns the ids of a view's modules
 */
export async function modulesOfViews<Name extends string>(
  views: Readonly<Record<Name, readonly string[]>>,
  plugins: readonly unknown[],
): Promise<(view: Name) => ReadonlySet<string>> {
  const inputs = Object.values<readonly string[]>(views).flat();
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: plugins as Plugin[],
    build: { write: false, minify: false, reportCompressedSize: false, rolldownOptions: { input: inputs } },
  });
  const [{ output } = { output: [] }] = [result].flat().filter((one) => 'output' in one);
  const chunks = new Map(output.flatMap((one) => (one.type === 'chunk' ? [[one.fileName, one] as const] : [])));
  return (view) => closureOf(chunks, views[view]);
}

/** Return the modules of the chunks that start with a view's modules, and of all chunks that they import. */
function closureOf(chunks: ReadonlyMap<string, Rolldown.OutputChunk>, starts: readonly string[]): Set<string> {
  const waiting = [...chunks.values()].filter(
    ({ facadeModuleId }) => facadeModuleId !== null && starts.some((start) => facadeModuleId.endsWith(start)),
  );
  if (waiting.length !== starts.length) throw new Error(`Not all of these are built: ${starts.join(', ')}`);
  const seen = new Set<string>();
  const modules = new Set<string>();
  for (let chunk = waiting.pop(); chunk !== undefined; chunk = waiting.pop()) {
    if (seen.has(chunk.fileName)) continue;
    seen.add(chunk.fileName);
    for (const id of chunk.moduleIds) modules.add(id);
    for (const file of chunk.imports) {
      const next = chunks.get(file);
      if (next !== undefined) waiting.push(next);
    }
  }
  return modules;
}
