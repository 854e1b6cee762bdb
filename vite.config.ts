import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { budget } from './budget.ts';

/** Two browser entries, the console and the sandbox's phone page, built into `dist/console`. */
export default defineConfig({
  base: '/',
  publicDir: 'src/console/public',
  plugins: [react(), phonePage(), budget(), compressed()],
  build: {
    outDir: 'dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // An inlined font or picture would be refused by the Content-Security-Policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { console: 'index.html', sandbox: 'sandbox.html' },
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
        if (!/\.(js|css|html|svg)$/.test(file)) continue;
        const path = join(outDir, file);
        const content = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(content));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}
