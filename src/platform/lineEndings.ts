/** Convert line endings (`\r\n`, `\r`) to `\n`, as text editors do. Browser-safe. */
export const normalizeLineEndings = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

/** Check whether two texts differ in nothing but their line endings. */
export const isSameText = (one: string, other: string): boolean =>
  normalizeLineEndings(one) === normalizeLineEndings(other);
