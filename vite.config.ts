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
import { componentParts } from './src/ui/componentParts.ts';
import { componentStyles } from './src/ui/componentStyles.ts';
import { modulesOfViews } from './src/ui/firstViews.ts';
import { cssVariables, theme } from './src/ui/theme.ts';

const SERVICE_WORKER = 'service-worker';

/**
 * Five browser entries, the console, its login page, its service worker, the sandbox's phones and the guide, built into
 * `dist/console`.
 */
export default defineConfig(async ({ command }) => ({
  base: '/',
  publicDir: 'src/console/public',
  plugins: [react(), otherPages(), componentParts(), componentStyles(), guide(tokens()), budget(), compressed()],
  build: {
    outDir: 'dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // An inlined font or picture would be refused by the Content-Security-Policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        console: 'index.html',
        login: 'login.html',
        sandbox: 'sandbox.html',
        guide: 'src/guide/pages/page.ts',
        [SERVICE_WORKER]: 'src/console/serviceWorker.ts',
      },
      output: {
        // A service worker keeps its address, and its scope is the folder that it lies in.
        entryFileNames: ({ name }: { readonly name: string }) =>
          name === SERVICE_WORKER ? '[name].js' : 'assets/[name]-[hash].js',
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 4 },
            ...(await viewGroups(command)),
            // What many pages share is one file. Without this a page asked for some seventy, most of them smaller than
            // their own request. With fewer pages it would be theirs who need little of it. [10: the heaviest page is 13 KB
            // heavier]
            { name: 'shared', test: /node_modules|src\//, minShareCount: 18, priority: 1 },
          ],
        },
      },
    },
  },
}));

/**
 * The files of the first views: each is loaded whole, and has nothing that only later views need. A module is entered
 * by its id alone, since a group that takes its imports too would take whole packages.
 */
async function viewGroups(command: 'build' | 'serve') {
  if (command === 'serve') return [];
  const views = {
    login: ['src/console/login.tsx'],
    lists: ['src/console/main.tsx', 'src/leads/pages/LeadsPage.tsx'],
    chat: ['src/conversations/pages/chat/DialogueChatPage.tsx'],
  };
  const modulesOf = await modulesOfViews(views, [react(), componentParts(), componentStyles()]);
  const [login, lists, chat] = [modulesOf('login'), modulesOf('lists'), modulesOf('chat')];
  const starts = Object.values(views).flat();
  const group = (name: string, priority: number, has: (id: string) => boolean, minShareCount = 1) => ({
    name,
    priority,
    test: (id: string) => has(id) && !starts.some((start) => id.endsWith(start)),
    minShareCount,
    includeDependenciesRecursively: false,
  });
  return [
    group('login', 3, (id) => login.has(id) && lists.has(id)),
    // The console is loaded without what the login page has alone. Forms share a part of that, which is one file.
    group('password', 3, (id) => login.has(id) && !lists.has(id), 2),
    group('lists', 2, (id) => lists.has(id)),
    // Of the chat only what its two pages have in common with others: those some thirty files held up its first request.
    group('chat', 0, (id) => chat.has(id), 3),
  ];
}

/** The theme's variables as a style sheet, for pages without a script of ours that would set them. */
function tokens(): string {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme);
  return convertCssVariables(deepMerge(defaultCssVariablesResolver(merged), cssVariables(merged)), ':root');
}

/** In development too the login page and the phones answer at their addresses. */
function otherPages(): Plugin {
  const files = { '/auth/login': '/login.html', '/sandbox': '/sandbox.html' };
  return {
    name: 'other-pages',
    apply: 'serve',
    configureServer: ({ middlewares }) => {
      middlewares.use((request, _response, next) => {
        for (const [path, file] of Object.entries(files)) {
          const [address = '', query] = (request.url ?? '').split('?');
          if (address === path) request.url = query === undefined ? file : `${file}?${query}`;
        }
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
