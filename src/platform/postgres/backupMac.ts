/**
 * Authentication of backups. A backup ends with a keyed hash (HMAC-SHA256) of all bytes before it, under a key derived
 * from the installation's secret key. Without that key nobody can change or forge a backup.
 *
 * The hash is the comment of an empty gzip member (RFC 1952), so gunzip still reads the file.
 */
import { createHmac, type Hmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Transform } from 'node:stream';

/** Gzip header: magic, deflate, comment flag, no time, no level, unknown system; then the comment. */
const TRAILER_MARK = Buffer.concat([Buffer.from('1f8b08100000000000ff', 'hex'), Buffer.from('rapport-backup-mac ')]);
/** End of the comment, an empty block, and the checksum and length of empty data. */
const TRAILER_END = Buffer.concat([Buffer.from('000300', 'hex'), Buffer.alloc(8)]);
const TRAILER_BYTES = TRAILER_MARK.length + 43 + TRAILER_END.length;

const hmacOf = (secretKey: string): Hmac =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', secretKey, 'rapport', 'backup', 32)));

const trailerOf = (mac: Buffer): Buffer =>
  Buffer.concat([TRAILER_MARK, Buffer.from(mac.toString('base64url')), TRAILER_END]);

/** Pass bytes through and append the trailer that authenticates them. */
export function appendMac(secretKey: string): Transform {
  const hmac = hmacOf(secretKey);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hmac.update(chunk);
      done(null, chunk);
    },
    flush(done) {
      done(null, trailerOf(hmac.digest()));
    },
  });
}

/** Result of checking a backup's trailer. */
export type MacResult = 'unsigned' | 'changed' | 'verified';

/** Check the file's bytes against its trailer, with each of these keys. */
export async function verifyMac(file: string, secretKeys: readonly string[]): Promise<MacResult> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const length = size - TRAILER_BYTES;
    const trailer = length < 0 ? Buffer.alloc(0) : await readAt(handle, length, TRAILER_BYTES);
    if (!trailer.subarray(0, TRAILER_MARK.length).equals(TRAILER_MARK)) return 'unsigned';
    const hmacs = secretKeys.map(hmacOf);
    if (length > 0) {
      const bytes = createReadStream(file, { fd: handle.fd, autoClose: false, start: 0, end: length - 1 });
      for await (const chunk of bytes) for (const hmac of hmacs) hmac.update(chunk as Buffer);
    }
    const isOne = hmacs.some((hmac) => timingSafeEqual(trailerOf(hmac.digest()), trailer));
    return isOne ? 'verified' : 'changed';
  } finally {
    await handle.close();
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position });
  return buffer.subarray(0, bytesRead);
}
