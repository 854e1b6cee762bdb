/**
 * The append-only journal of the emulators: one JSON object per line, numbered from 1 without gaps. State is folded
 * from it, so that it survives a kill at any moment; tests read it to learn what arrived.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import type { DomainClock } from './clock.ts';
import { type Entry, type EntryDraft, entrySchema } from './entries.ts';

export type Journal = ReturnType<typeof openJournal>;

/**
 * Open or create the journal and replay it through `apply`. A torn last line (killed while writing) is cut off; any
 * other unreadable line throws, naming its number.
 */
export function openJournal(file: string, clock: DomainClock, apply: (entry: Entry) => void) {
  const descriptor = openSync(file, 'a+', 0o600);
  /** Byte offset of each entry; that of entry n is at n - 1. */
  const offsets: number[] = [];
  let end = 0;
  let closed = false;
  replay();

  function replay(): void {
    const bytes = readFileSync(file);
    for (let start = 0; start < bytes.length; ) {
      const newline = bytes.indexOf(10, start);
      if (newline === -1) break;
      const line = bytes.toString('utf8', start, newline);
      const parsed = entrySchema.safeParse(parseLine(line));
      if (!parsed.success)
        throw new Error(`${file}: entry ${offsets.length + 1} cannot be read: ${line.slice(0, 120)}`);
      offsets.push(start);
      apply(parsed.data);
      start = newline + 1;
      end = start;
    }
    if (end < fstatSync(descriptor).size) ftruncateSync(descriptor, end);
  }

  return {
    /** Write the drafts in one system call and apply them; after a kill either all or none of them are stored. */
    append: (...drafts: EntryDraft[]): Entry[] => {
      const real = Date.now();
      const at = clock.iso();
      const entries: Entry[] = [];
      const starts: number[] = [];
      let text = '';
      let position = end;
      for (const draft of drafts) {
        const entry: Entry = { seq: offsets.length + entries.length + 1, at, real, ...draft };
        const line = `${JSON.stringify(entry)}\n`;
        starts.push(position);
        position += Buffer.byteLength(line);
        text += line;
        entries.push(entry);
      }
      writeWhole(descriptor, Buffer.from(text), end);
      offsets.push(...starts);
      end = position;
      for (const entry of entries) apply(entry);
      return entries;
    },
    /** Read the entries with a number above `after`, oldest first. */
    read: (after: number, limit: number): Entry[] => {
      const from = offsets[after];
      if (from === undefined || limit < 1) return [];
      const to = offsets[after + limit] ?? end;
      const bytes = Buffer.alloc(to - from);
      readSync(descriptor, bytes, 0, bytes.length, from);
      return bytes
        .toString('utf8')
        .trimEnd()
        .split('\n')
        .map((line) => entrySchema.parse(JSON.parse(line)));
    },
    last: () => offsets.length,
    closed: () => closed,
    close: () => {
      closed = true;
      closeSync(descriptor);
    },
  };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Write all bytes after `end`, or nothing if the disk is full: half an entry would make the next one unreadable. */
function writeWhole(descriptor: number, bytes: Buffer, end: number): void {
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
  } catch (error) {
    ftruncateSync(descriptor, end);
    throw error;
  }
}
