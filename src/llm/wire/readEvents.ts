/** Reads a stream of server-sent events: the one reader of all vendors' answers. */
import type { Readable } from 'node:stream';
import { createParser } from 'eventsource-parser';
import type { z } from 'zod';
import { errorMessage, isPage, readVendorError, VendorError } from './vendorError.ts';

/** Limit of one event, characters. The longest that is expected holds the arguments of a tool call. */
const MAX_EVENT = 2 * 1024 * 1024;

/** The stream is not in the vendor's shape. The message does not quote it. */
export class UnreadableAnswer extends Error {}

/** The answer has the status of a success, but nothing of a model in it: the address leads elsewhere. */
export class NotAModel extends Error {}

/**
 * Pass on the data of each event until the stream ends. An answer without events is passed on whole if it is JSON: some
 * servers do not stream. Rejects if the stream breaks off, or with what `onData` throws.
 */
export function readEvents(body: Readable, onData: (data: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    /** What came before the first event; null after it. */
    let head: string | null = '';
    const parser = createParser({
      maxBufferSize: MAX_EVENT,
      onEvent: ({ event, data }) => {
        head = null;
        if (event === 'error') throw eventError(data);
        onData(data);
      },
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') throw new UnreadableAnswer('An event is longer than 2 MB');
      },
    });
    body.setEncoding('utf8');
    body.on('data', (text: string) => {
      try {
        if (head !== null && head.length < MAX_EVENT) head += text;
        parser.feed(text);
      } catch (error) {
        reject(error);
        // The rest of the stream is not read, and a vendor may never end it.
        body.destroy();
      }
    });
    body.on('error', reject);
    body.on('end', () => {
      try {
        endStream(() => parser.feed('\n\n'));
        if (head !== null) readWhole(head, onData);
        resolve();
      } catch (error) {
        reject(error);
      }
    });
    body.on('close', () => {
      // An error takes its stack with it, which is slow; nearly every stream ends.
      if (!body.readableEnded) reject(new UnreadableAnswer('The stream was cut'));
    });
  });
}

/** Some servers leave out the blank line after the last event. If only half of an event came, it is none. */
function endStream(flush: () => void): void {
  try {
    flush();
  } catch (error) {
    if (!(error instanceof UnreadableAnswer)) throw error;
  }
}

/** Read the data of an event that is named `error`. */
function eventError(data: string): VendorError {
  const status = 500;
  try {
    const error = readVendorError(JSON.parse(data), data);
    if (error) return error;
  } catch {
    // It is no JSON: its text is the message.
  }
  return new VendorError({ status, message: errorMessage(data) ?? '', body: data });
}

/** Read an answer that is no stream. Throws `NotAModel` if it is none of a model at all. */
function readWhole(text: string, onData: (data: string) => void): void {
  const body = text.replace(/^\uFEFF/, '').trim();
  // Comments alone are a stream that never began.
  if (body.split('\n').every((line) => /^(?::|$)/.test(line.trim()))) return;
  if (/^[[{]/.test(body)) {
    try {
      JSON.parse(body);
    } catch {
      throw new UnreadableAnswer('The answer is half of a JSON');
    }
    onData(body);
    return;
  }
  const message = errorMessage(body);
  throw new NotAModel(
    `${isPage(body) ? 'a web page' : 'a text'}${message === null ? '' : ` (${message.slice(0, 100)})`}`,
  );
}

/** Parse the data of an event. Throws `UnreadableAnswer`, or the `VendorError` that it reports. */
export function parseEvent<Shape extends z.ZodType>(shape: Shape, data: string): z.output<Shape> {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw new UnreadableAnswer('An event is not JSON');
  }
  const error = readVendorError(value, data);
  if (error) throw error;
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UnreadableAnswer(`An event is not in the vendor's shape: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
}
