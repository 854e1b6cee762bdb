/** Convert line endings (`\r\n`, `\r`) to `\n`, as text editors do. */
export const normalizeLineEndings = (text: string): string => text.replaceAll(/\r\n?/g, '\n');
