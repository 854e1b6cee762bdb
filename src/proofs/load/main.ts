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
    "PostgreSQL, the nodes, the vendors' emulators and the load generator share one machine. Nodes run both roles with production settings.",
  file: 'LOAD.md',
  parts: { hooks, live, dialogues, overload },
});
