import { type Logger, pino } from 'pino';

export type Log = Logger;

/** Structured logs on stdout, one JSON object a line. Secrets are never handed to it; the paths below are the net. */
export function createLog(level: string, bindings: Record<string, unknown> = {}): Log {
  return pino({
    level,
    base: bindings,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['*.password', '*.api_key', '*.authorization', '*.cookie', 'req.headers', '*.token', '*.secret'],
      censor: '[hidden]',
    },
  });
}
