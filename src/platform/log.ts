import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * Structured logs, one JSON object a line, on stdout unless another destination is given. Secrets are never handed to it;
 * the paths below are the net.
 */
export function createLog(level: string, bindings: Record<string, unknown> = {}, destination?: DestinationStream): Log {
  const options = {
    level,
    base: bindings,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['*.password', '*.api_key', '*.authorization', '*.cookie', 'req.headers', '*.token', '*.secret'],
      censor: '[hidden]',
    },
  };
  return destination ? pino(options, destination) : pino(options);
}
