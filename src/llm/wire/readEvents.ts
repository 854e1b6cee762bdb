/** Reads a stream of server-sent events: the one reader of all vendors' answers. */
import type { Readable } from 'node:stream';
import { createParser } from 'eventsource-parser';
import type { z } from 'zod';

/** Limit of one event, characters. The longest that is expected holds the arguments of a tool call. */
const MAX_EVENT = 2 * 1024 * 1024;

/** The stream is not in the vendor's shape. The message does not quote it. */
export class UnreadableAnswer extends Error {}

/** The vendor reported an error, by status or within the stream. */
export class VendorError extends Error {
  /** The status of the answer, or the one that belongs to an error within the stream. */
  readonly status: number;
  /** All that the vendor sent about it. */
  readonly body: string;
  readonly retryAfter: string | undefined;

  constructor(error: { status: number; message: string; body: string; retryAfter?: string | undefined }) {
    super(error.message);
    this.status = error.status;
    this.body = error.body;
    this.retryAfter = error.retryAfter;
  }
}

/** Pass on the data of each event until the stream ends. Rejects if it breaks off, or with what `onData` throws. */
export function readEvents(body: Readable, onData: (data: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const parser = createParser({
      maxBufferSize: MAX_EVENT,
      onEvent: ({ data }) => onData(data),
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') throw new UnreadableAnswer('An event is longer than 2 MB');
      },
    });
    body.setEncoding('utf8');
    body.on('data', (text: string) => {
      try {
        parser.feed(text);
      } catch (error) {
        reject(error);
        // The rest of the stream is not read, and a vendor may never end it.
        body.destroy();
      }
    });
    body.on('error', reject);
    body.on('end', resolve);
    body.on('close', () => {
      // An error takes its stack with it, which is slow; nearly every stream ends.
      if (!body.readableEnded) reject(new UnreadableAnswer('The stream was cut'));
    });
  });
}

/** Parse the data of an event. Throws `UnreadableAnswer`. */
export function parseEvent<Shape extends z.ZodType>(shape: Shape, data: string): z.output<Shape> {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw new UnreadableAnswer('An event is not JSON');
  }
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UnreadableAnswer(`An event is not in the vendor's shape: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
}
