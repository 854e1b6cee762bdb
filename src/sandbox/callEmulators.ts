import { Refusal } from '../platform/refuse.ts';
import { ControlError } from './emulators/control.ts';

/** Turn a refusal of the emulated vendor into a refusal with its own sentence instead of an internal error. */
export async function callEmulators<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const message = error.message.replace(/^.*: \d{3} /, '');
    if (error.status === 404) throw new Refusal({ code: 'sandbox.unknown', status: 404, message });
    if (error.status !== 0) throw new Refusal({ code: 'sandbox.refused', status: 409, message });
    const silent = { code: 'sandbox.silent', status: 503, message: 'The emulators do not answer.' };
    throw new Refusal({ ...silent, retryAfter: 2 });
  }
}
