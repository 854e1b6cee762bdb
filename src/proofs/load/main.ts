/** `npm run load`: a node's capacity, and its behaviour beyond it; writes bench/LOAD.md. */
import { runCommand } from '../harness/command.ts';
import { dialogues } from './dialogues.ts';
import { hooks } from './hooks.ts';
import { live } from './live.ts';
import { overload } from './overload.ts';

await runCommand({
  name: 'load',
  title: 'Load',
  intro:
    "Made by `npm run load`; with `-- --only hooks,live` the named parts are measured again and the others kept. PostgreSQL, the nodes, the vendors' emulators and the load generator share one machine. Nodes run both roles with the settings of a product in use.",
  file: 'LOAD.md',
  parts: { hooks, live, dialogues, overload },
});
