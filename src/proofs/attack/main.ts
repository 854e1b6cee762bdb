/**
 * `npm run attack`: sqlmap, slowhttptest, blocking work, floods and lists against the product on loopback; writes
 * bench/SECURITY.md.
 */
import { runCommand } from '../harness/command.ts';
import { block } from './blocking.ts';
import { crowds } from './floods.ts';
import { sql } from './injection.ts';
import { lists } from './lists.ts';
import { slow } from './slowness.ts';

await runCommand({
  name: 'attack',
  title: 'Attacks',
  intro: 'The product runs on loopback, on a database of its own.',
  file: 'SECURITY.md',
  parts: { sql, slow, block, crowds, lists },
});
