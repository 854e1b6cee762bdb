/**
 * `npm run chaos`: guarantees that must hold whichever process dies; writes bench/CHAOS.md. `--seed S` repeats the same
 * choices.
 */
import { runCommand } from '../harness/command.ts';
import { crm } from './crmScenario.ts';
import { disk } from './diskScenario.ts';
import { firstMessages } from './firstMessagesScenario.ts';
import { hooks } from './hooksScenario.ts';
import { messages } from './messagesScenario.ts';
import { vendors } from './vendorsScenario.ts';
import { windows } from './workingHours.ts';

await runCommand({
  name: 'chaos',
  title: 'Chaos',
  intro:
    "Made by `npm run chaos`; with `-- --only hooks,disk` the named parts run again and the others are kept. Each part has a database, emulators and processes of its own, and ends with a comparison of what is on the phones, by the emulators' journal, with the rows.",
  file: 'CHAOS.md',
  parts: { messages, hooks, disk, firsts: firstMessages, crm, vendors, windows },
});
