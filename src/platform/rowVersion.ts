/** Versions of rows: what `ETag` names and `If-Match` asks for, so that nobody overwrites a change unseen. Browser-safe. */
import { z } from 'zod';

/** 1 for a new row, raised by each change of it. */
export const rowVersion = z.int().positive();

/** Where an item holds its version. A prompt's `version` is that of its text, so its row's is `revision`. */
export function versionField(item: object): 'revision' | 'version' | null {
  if ('revision' in item) return 'revision';
  return 'version' in item ? 'version' : null;
}

/** The version of a row as it was read; null: it has none. */
export function versionOf(item: object): number | null {
  const field = versionField(item);
  const version = field === null ? null : Reflect.get(item, field);
  return typeof version === 'number' ? version : null;
}

/** `"7"`: the version as a header has it. */
export const etagOf = (version: number): string => `"${version}"`;

/** Versions of which a row has to have one; `*`: any. */
export type ExpectedVersions = readonly number[] | '*';

// A proxy that compresses answers marks their tags as weak, and the client sends that back.
const TAG = /^(?:W\/)?"(\d{1,15})"$/;

/** Reads `If-Match`; null: it is malformed. */
export function readIfMatch(header: string): ExpectedVersions | null {
  if (header.trim() === '*') return '*';
  const versions = header.split(',').map((one) => Number(TAG.exec(one.trim())?.[1] ?? Number.NaN));
  return versions.some(Number.isNaN) ? null : versions;
}
