// `npm run dev`: the server restarts when one of its files is edited, the console reloads in the browser. Both are
// reached at the same address as with `npm start`: Vite answers there and forwards the server's requests.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureDependencies, isNodeRecent, main, print, root } from './setup.mjs';

/** Paths that are forwarded to the server; the rest are pages and their assets. */
const SERVED =
  '^/(v1|hooks|healthz|readyz|metrics|openapi\\.json|docs|sandbox/(phones|faults|clock|keys|sessions|amocrm))(/|\\?|$)';

await main(async () => {
  const node = ensureDependencies();
  if (!isNodeRecent()) return restartWithNode(node);
  const host = process.env.HOST ?? '127.0.0.1';
  const port = Number(process.env.PORT ?? 3000);
  const behind = port + 1;
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

  const { createServer } = await import('vite');
  const vite = await createServer({
    root,
    configFile: join(root, 'vite.config.ts'),
    server: {
      host,
      port,
      strictPort: true,
      proxy: { [SERVED]: { target: `http://127.0.0.1:${behind}`, ws: true, xfwd: false } },
    },
  });
  await vite.listen();

  const server = spawn(node, ['--watch', '--watch-preserve-output', join(root, 'src/main.ts')], {
    cwd: root,
    // Pages are loaded from our address, so that is the origin the server has to accept.
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(behind),
      RAPPORT_PUBLIC_URL: process.env.RAPPORT_PUBLIC_URL ?? address,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  print(`Rapport in development: ${address}`);

  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    server.kill('SIGTERM');
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, end);
  server.once('exit', (code) => {
    void vite.close().finally(() => process.exit(code ?? 0));
  });
});

function restartWithNode(/** @type {string} */ node) {
  const child = spawn(node, [join(root, 'scripts/dev.mjs')], { stdio: 'inherit' });
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => child.kill('SIGTERM'));
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
