/**
 * `npm run chaos`: guarantees that must hold whichever process dies; writes bench/CHAOS.md. `--seed S` repeats the same
 * choices.
 */
import { runCommand } from '../harness/command.ts';
import { budget } from './budgetScenario.ts';
import { crm } from './crmScenario.ts';
import { disk } from './diskScenario.ts';
import { firstMessages } from './firstMessagesScenario.ts';
import { handOvers } from './handOversScenario.ts';
import { hooks } from './hooksScenario.ts';
import { messages } from './messagesScenario.ts';

await runCommand({
  name: 'chaos',
  title: 'Chaos',
  intro:
    "Each part has its own database, emulators and processes, and ends with a comparison of the rows with what is on the phones, by the emulators' journal.",
  file: 'CHAOS.md',
  parts: { messages, hooks, disk, firsts: firstMessages, crm, handovers: handOvers, budget },
});
