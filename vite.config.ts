import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import {
  convertCssVariables,
  DEFAULT_THEME,
  deepMerge,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from '@mantine/core';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { budget } from './budget.ts';
import { guide } from './src/guide/build.ts';
import { cssVariables, theme } from './src/ui/theme.ts';

/** Three browser entries, the console, the sandbox's phone page and the guide's pages, built into `dist/console`. */
export default defineConfig({
  base: '/',
  publicDir: 'src/console/public',
  plugins: [react(), phonePage(), guide(tokens()), budget(), compressed()],
  build: {
    outDir: 'dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // An inlined font or picture would be refused by the Content-Security-Policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { console: 'index.html', sandbox: 'sandbox.html', guide: 'src/guide/pages/page.ts' },
      output: {
        codeSplitting: {
          groups: [
            // What every page needs changes rarely and is kept by the browser across releases.
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 3 },
            {
              name: 'ground',
              test: /node_modules\/(zod|i18next|react-i18next|@tanstack\/(query|react-query|router|react-router|history|store|react-store))/,
              priority: 2,
            },
            // What many pages share is one file. Without this a page asked for some seventy, most of them smaller than
            // their own request. [list of leads: 73 files and 327 KB gzipped before, 23 files and 317 KB with it]
            { name: 'shared', test: /node_modules|src\//, minShareCount: 10, priority: 1 },
          ],
        },
      },
    },
  },
});

/** The theme's variables as a style sheet, for pages without a script of ours that would set them. */
function tokens(): string {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme);
  return convertCssVariables(deepMerge(defaultCssVariablesResolver(merged), cssVariables(merged)), ':root');
}

/** In development too the phone page answers at `/sandbox`. */
function phonePage(): Plugin {
  return {
    name: 'phone-page',
    apply: 'serve',
    configureServer: ({ middlewares }) => {
      middlewares.use((request, _response, next) => {
        if (/^\/sandbox(?:\?|$)/.test(request.url ?? ''))
          request.url = request.url?.replace('/sandbox', '/sandbox.html');
        next();
      });
    },
  };
}

/** Writes `.br` and `.gz` beside every text file, so that the server never compresses while it answers. */
function compressed(): Plugin {
  let outDir = '';
  return {
    name: 'compressed',
    apply: 'build',
    configResolved: (config) => {
      outDir = config.build.outDir;
    },
    closeBundle: () => {
      for (const file of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|html|svg|json)$/.test(file)) continue;
        const path = join(outDir, file);
        const content = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(content));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}
