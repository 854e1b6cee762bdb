/** The thread side of `threads.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { READY, type ThreadData, type ThreadError, type ThreadKind, type ThreadReply } from './threads.ts';

/** Handle each task of the kind that this module was started for. */
export function serveThread<Input, Output>(
  _kind: ThreadKind<Input, Output>,
  createHandler: (data: ThreadData) => (input: Input) => Output | Promise<Output>,
): void {
  const port = parentPort;
  if (!port) throw new Error('This module runs in a thread');
  const work = createHandler(workerData as ThreadData);
  port.on('message', (input: Input) => {
    void answer(work, input).then((reply) => port.postMessage(reply));
  });
  port.postMessage(READY);
}

async function answer<Input, Output>(
  work: (input: Input) => Output | Promise<Output>,
  input: Input,
): Promise<ThreadReply> {
  try {
    return { output: await work(input) };
  } catch (error) {
    return { error: serializeError(error) };
  }
}

/** Serialize an error with the fields that the other side decides by: SQLSTATE and severity, a refusal's status. */
function serializeError(error: unknown): ThreadError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), fields: {} };
  const fields = Object.entries(error).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return { name: error.name, message: error.message, fields: Object.fromEntries(fields) };
}
