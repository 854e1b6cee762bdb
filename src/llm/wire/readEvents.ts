/** Reads a stream of server-sent events: the one reader of all vendors' answers. */
import type { Readable } from 'node:stream';
import { createParser } from 'eventsource-parser';
import type { z } from 'zod';
import { errorMessage, isPage, parseJson, readVendorError, VendorError, withoutPreamble } from './vendorError.ts';

/** Limit of one event, characters. The longest that is expected holds the arguments of a tool call. */
const MAX_EVENT = 2 * 1024 * 1024;

/** The stream is not in the vendor's shape. The message does not quote it. */
export class UnreadableAnswer extends Error {}

/** The answer has the status of a success, but nothing of a model in it: the address leads elsewhere. */
export class NotAModel extends Error {}

/** The server answers in the protocol of another vendor, which the message names. */
export class OtherProtocol extends Error {}

/** The end of a stream, as OpenAI marks it; some servers put it into quotes. */
export const isDone = (data: string): boolean => /^\s*"?\[DONE\]"?\s*$/.test(data);

/**
 * Pass on the data of each event until the stream ends. An answer without events is passed on whole if it is JSON, and
 * line by line if it is a list of them: some servers do not stream. Returns whether there was anything. Rejects if the
 * stream breaks off, or with what `onData` throws; after an unreadable event the rest is read on, since it may report
 * what was used.
 */
export function readEvents(body: Readable, onData: (data: string) => void): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const faults: UnreadableAnswer[] = [];
    let hasData = false;
    const pass = (data: string) => {
      if (data.trim() !== '' && !isDone(data)) hasData = true;
      try {
        onData(data);
      } catch (error) {
        if (!(error instanceof UnreadableAnswer)) throw error;
        faults.push(error);
      }
    };
    /** What came before the first event; null after it. */
    let head: string | null = '';
    const parser = createParser({
      maxBufferSize: MAX_EVENT,
      onEvent: ({ event, data }) => {
        head = null;
        if (event === 'error') throw eventError(data);
        pass(data);
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
        const before = faults.length;
        endStream(() => parser.feed('\n\n'));
        faults.length = before;
        if (head !== null) readWhole(head, pass);
        if (faults[0]) reject(faults[0]);
        else resolve(hasData);
      } catch (error) {
        reject(error);
      }
    });
    body.on('close', () => {
      // An error takes its stack with it, which is slow; nearly every stream ends.
      if (!body.readableEnded) reject(faults[0] ?? new UnreadableAnswer('The stream was cut'));
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
  const body = withoutPreamble(text).trim();
  // Comments alone are a stream that never began.
  if (body === '') return;
  if (/^[[{]/.test(body)) {
    const lines = parseJson(body) === undefined ? body.split('\n').filter((line) => line.trim() !== '') : [body];
    if (lines.some((line) => parseJson(line) === undefined)) throw new UnreadableAnswer('The answer is half of a JSON');
    for (const line of lines) onData(line);
    return;
  }
  const message = errorMessage(body);
  throw new NotAModel(
    `${isPage(body) ? 'a web page' : 'a text'}${message === null ? '' : ` (${message.slice(0, 100)})`}`,
  );
}

/**
 * Parse the data of an event in a vendor's protocol; null if there is nothing in it. Throws `UnreadableAnswer`,
 * `OtherProtocol`, or the `VendorError` that it reports.
 */
export function parseEvent<Shape extends z.ZodType>(
  shape: Shape,
  data: string,
  protocol: Protocol,
): z.output<Shape> | null {
  if (data.trim() === '' || isDone(data)) return null;
  const value = parseJson(data);
  if (value === undefined) throw new UnreadableAnswer('An event is not JSON');
  if (value === null) return null;
  const error = readVendorError(value, data);
  if (error) throw error;
  const spoken = protocolOf(Object(value));
  if (spoken !== null && spoken !== protocol) throw new OtherProtocol(spoken);
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UnreadableAnswer(`An event is not in the vendor's shape: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
}

type Protocol = 'OpenAI' | 'Gemini' | 'Anthropic';

/** Return the protocol that an event is surely of; null if it may be of any. */
function protocolOf({ choices, candidates, type }: Readonly<Record<string, unknown>>): Protocol | null {
  if (Array.isArray(choices)) return 'OpenAI';
  if (Array.isArray(candidates)) return 'Gemini';
  return typeof type === 'string' && /^(?:message|content_block)_/.test(type) ? 'Anthropic' : null;
}
