import { type DestinationStream, type Logger, pino } from 'pino';
import { currentTrace } from './trace.ts';

export type Log = Logger;

/**
 * Create a structured log, one JSON object a line, on stdout unless another destination is given. Never pass it
 * secrets; the redacted paths below are only a safety net. Lines logged while a message is processed carry its trace.
 */
export function createLog(level: string, bindings: Record<string, unknown> = {}, destination?: DestinationStream): Log {
  const options = {
    level,
    base: bindings,
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => {
      const trace = currentTrace();
      return trace === undefined ? {} : { trace };
    },
    redact: {
      paths: ['*.password', '*.api_key', '*.authorization', '*.cookie', 'req.headers', '*.token', '*.secret'],
      censor: '[hidden]',
    },
  };
  return destination ? pino(options, destination) : pino(options);
}
