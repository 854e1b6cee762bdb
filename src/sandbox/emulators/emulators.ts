/** `node main.ts --dir DIR [--port N]`: the emulators as a process of their own. */
import { parseArgs } from 'node:util';
import { DataDirInUse } from '../../platform/postgres/errors.ts';
import { startEmulators } from './server.ts';

const { values } = parseArgs({ options: { dir: { type: 'string' }, port: { type: 'string', default: '0' } } });
if (values.dir === undefined || !/^\d{1,5}$/.test(values.port)) {
  process.stderr.write('Use: main.ts --dir DIR [--port N]\n');
  process.exit(2);
}

try {
  const running = await startEmulators({ dir: values.dir, port: Number(values.port) });
  process.stdout.write(`${new Date().toISOString()} emulators on ${running.url}, process ${process.pid}\n`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void running.stop());
  await running.ended;
  process.exit(0);
} catch (error) {
  if (!(error instanceof DataDirInUse)) throw error;
  process.stdout.write(`${error.message}\n`);
  process.exit(0);
}
