/**
 * Read the size of a picture, so that a page reserves its space while it loads.
 * @param file a WebP picture as Chromium writes it: lossy, with or without transparency (RFC 9649)
 * @returns CSS pixels
 */
export function sizeOf(file: Buffer): { width: number; height: number } {
  const kind = file.toString('latin1', 0, 4) === 'RIFF' ? file.toString('latin1', 12, 16) : '';
  if (kind === 'VP8 ') return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
  if (kind === 'VP8X') return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
  throw new Error('This is no WebP picture that the guide can show');
}
