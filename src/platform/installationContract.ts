/** What the console may know of the installation: before sign-in, whether it is a sandbox; in a sandbox, its clock. */
import { z } from 'zod';
import { endpoint, instant, nameShape } from './contract.ts';

export const installation = endpoint({
  operation: 'getInstallation',
  method: 'GET',
  path: '/v1/installation',
  access: 'public',
  summary: 'Whether this is a sandbox, and what its login page fills in',
  replies: {
    200: z.object({ sandbox: z.boolean(), demo_login: z.string().nullable(), demo_password: z.string().nullable() }),
  },
});

export const clockState = z.object({ now: instant, offset_seconds: z.int() });
nameShape('SandboxClock', clockState);

/** Served by the sandbox only. */
export const readClock = endpoint({
  operation: 'getSandboxClock',
  method: 'GET',
  path: '/sandbox/clock',
  access: 'sandbox',
  summary: 'The domain clock',
  replies: { 200: clockState },
});
