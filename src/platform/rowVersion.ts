/**
 * Versions of rows: `ETag` names them and `If-Match` requires them, so that a change is not overwritten unseen.
 * Browser-safe.
 */

/**
 * Return the field with an item's version. A prompt's `version` is that of its text, so the version of its row is
 * `revision`.
 */
export function versionField(item: object): 'revision' | 'version' | null {
  if ('revision' in item) return 'revision';
  return 'version' in item ? 'version' : null;
}

/** Return the version of a row as it was read; null when it has none. */
export function versionOf(item: object): number | null {
  const field = versionField(item);
  const version = field === null ? null : Reflect.get(item, field);
  return typeof version === 'number' ? version : null;
}

/** Format a version as a header value: `"7"`. */
export const etagOf = (version: number): string => `"${version}"`;

/** Versions, one of which the row must have; `*` allows any. */
export type ExpectedVersions = readonly number[] | '*';

// A proxy that compresses responses marks their tags as weak, and the client sends that back.
const TAG = /^(?:W\/)?"(\d{1,15})"$/;

/** Parse `If-Match`; null when it is malformed. */
export function readIfMatch(header: string): ExpectedVersions | null {
  if (header.trim() === '*') return '*';
  const versions = header.split(',').map((one) => Number(TAG.exec(one.trim())?.[1] ?? Number.NaN));
  return versions.some(Number.isNaN) ? null : versions;
}
