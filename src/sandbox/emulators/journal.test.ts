import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { domainClock } from './clock.ts';
import type { Entry } from './entries.ts';
import { openJournal } from './journal.ts';
import { temporaryDirectory } from './testEmulators.ts';

let folder: ReturnType<typeof temporaryDirectory>;
let file: string;
beforeEach(() => {
  folder = temporaryDirectory();
  file = join(folder.dir, 'journal.jsonl');
});
afterEach(() => folder.remove());

function open() {
  const applied: Entry[] = [];
  return { applied, journal: openJournal(file, domainClock(), (entry) => applied.push(entry)) };
}

test('numbers entries without gaps, reads pages, and replays them', () => {
  const { journal, applied } = open();
  journal.append({ kind: 'clock', offset: 1 }, { kind: 'phone', address: 'anna', name: 'Анна' });
  journal.append({ kind: 'clock', offset: 2 });
  expect(applied.map((entry) => entry.seq)).toEqual([1, 2, 3]);
  expect(journal.read(0, 2)).toEqual(applied.slice(0, 2));
  expect(journal.read(1, 10)).toEqual(applied.slice(1));
  expect(journal.read(3, 10)).toEqual([]);
  journal.close();
  const again = open();
  expect(again.applied).toEqual(applied);
  expect(again.journal.append({ kind: 'clock', offset: 3 })).toMatchObject([{ seq: 4 }]);
  expect(again.journal.read(2, 10)).toMatchObject([{ offset: 2 }, { offset: 3 }]);
  again.journal.close();
});

test('overwrites a torn last line, and refuses another unreadable entry', () => {
  const { journal } = open();
  journal.append({ kind: 'clock', offset: 1 });
  journal.close();
  appendFileSync(file, '{"seq":2,"kind":"clo');
  const again = open();
  expect(again.applied).toHaveLength(1);
  again.journal.append({ kind: 'clock', offset: 2 });
  again.journal.close();
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(2);
  expect(open().applied).toMatchObject([{ offset: 1 }, { offset: 2 }]);
  writeFileSync(file, '{"seq":1}\n');
  expect(open).toThrow('entry 1 cannot be read');
});
