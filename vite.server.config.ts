import { join, relative } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const ROOT = import.meta.dirname;
const OUT = join(ROOT, 'dist/server');
/** Parts that a production process must not contain. The sandbox is a chunk of its own, loaded in a sandbox only. */
const NOT_IN_PRODUCTION = /\/src\/(?:sandbox|testing|proofs)\//;

/**
 * The server as a few minified files in `dist/server`, with its packages: a start reads some ten files instead of two
 * thousand. `npm start` builds it; `src/main.ts` runs without it.
 */
export default defineConfig({
  plugins: [sourcePaths(), productionOnly(), ownMapsOnly()],
  publicDir: false,
  ssr: { noExternal: true, external: ['pg-native', 'bufferutil', 'utf-8-validate'] },
  build: {
    ssr: true,
    outDir: OUT,
    emptyOutDir: true,
    target: 'node24',
    minify: true,
    sourcemap: true,
    rolldownOptions: {
      input: {
        main: 'src/main.ts',
        rehearsalThread: 'src/outreach/rehearsalThread.ts',
        checkThread: 'src/studio/checks/checkThread.ts',
        replayThread: 'src/studio/replay/replayThread.ts',
        renderThread: 'src/prompts/renderThread.ts',
        emulators: 'src/sandbox/emulators/emulators.ts',
      },
      // All in one folder: paths to the repository's files are relative to it.
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        keepNames: true,
        sourcemapExcludeSources: true,
        codeSplitting: { groups: [{ name: 'packages', test: /node_modules/, entriesAware: true }] },
      },
    },
  },
});

/**
 * Keep the paths that a module derives from its own place: files are read from the folder of its source, and threads
 * are entries of this build.
 */
function sourcePaths(): Plugin {
  return {
    name: 'source-paths',
    enforce: 'pre',
    transform(code, id) {
      if (!id.startsWith(join(ROOT, 'src/'))) return null;
      const folder = relative(OUT, join(id, '..'));
      const built = code
        .replaceAll(/new URL\('\.\/(\w+)\.ts', import\.meta\.url\)/g, "new URL('./$1.js', import.meta.url)")
        .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${folder}`)})`);
      // Lines stay where they are, so the source map needs no correction.
      return built === code ? null : { code: built, map: null };
    },
  };
}

/** Refuse a build whose production part contains the sandbox, tests or proofs. */
function productionOnly(): Plugin {
  return {
    name: 'production-only',
    generateBundle(_options, bundle) {
      const chunks = new Map(
        Object.values(bundle).flatMap((one) => (one.type === 'chunk' ? [[one.fileName, one] as const] : [])),
      );
      const isSandbox = (file: string): boolean => chunks.get(file)?.facadeModuleId?.includes('/src/sandbox/') === true;
      const entries = [...chunks.values()].filter((one) => one.isEntry && !isSandbox(one.fileName));
      const [loaded, waiting] = [new Set<string>(), entries];
      for (let chunk = waiting.pop(); chunk !== undefined; chunk = waiting.pop()) {
        if (loaded.has(chunk.fileName)) continue;
        loaded.add(chunk.fileName);
        const foreign = chunk.moduleIds.find((id) => NOT_IN_PRODUCTION.test(id));
        if (foreign !== undefined) this.error(`${chunk.fileName} contains ${relative(ROOT, foreign)}.`);
        for (const file of [...chunk.imports, ...chunk.dynamicImports]) {
          const next = chunks.get(file);
          if (next !== undefined && !isSandbox(file)) waiting.push(next);
        }
      }
      if (loaded.size < 3) this.error('The check of the production part saw no chunks.');
    },
  };
}

/** Leave out the source maps of packages: Node would keep them in memory [227 instead of 198 MB at rest]. */
function ownMapsOnly(): Plugin {
  return {
    name: 'own-maps-only',
    generateBundle(_options, bundle) {
      for (const one of Object.values(bundle))
        if (one.type === 'chunk' && one.moduleIds.every((id) => id.includes('node_modules')))
          delete bundle[`${one.fileName}.map`];
    },
  };
}
