/** Operators as admins see and change them, and what operators may change in their own account. */
import { z } from 'zod';
import { endpoint, errorReply, instant, reference } from '../platform/contract.ts';
import { crud } from '../platform/crud.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';
import { PASSWORD_LENGTH, roles } from './contract.ts';
import { loginFault } from './login.ts';

/** The password is kept as typed: it may begin with a space. */
const newPassword = z.string().min(PASSWORD_LENGTH, `Should have at least ${PASSWORD_LENGTH} characters`).max(1000);

const operator = z.object({
  id: z.int(),
  login: z.string(),
  role: z.enum(roles),
  is_active: z.boolean(),
  /** Companies of a member. An admin has access to all companies. */
  company_ids: z.array(z.int()),
  companies: z.array(z.object({ id: z.int(), name: z.string() })),
  created_at: instant,
  last_sign_in_at: instant.nullable(),
  /** Number of open sessions. */
  sessions: z.int(),
  version: rowVersion,
});
export type Operator = z.output<typeof operator>;

const accessFields = {
  role: z.enum(roles),
  company_ids: z.array(reference('company')).max(1000).default([]),
};

const { remove: _remove, ...operatorCrud } = crud(
  {
    resource: 'operator',
    plural: 'operators',
    path: '/v1/operators/',
    item: operator,
    create: z.strictObject({
      // The sign-in compares logins regardless of case.
      login: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .superRefine((login, context) => {
          const fault = loginFault(login);
          if (fault !== null) context.addIssue({ code: 'custom', message: fault });
        }),
      password: newPassword,
      ...accessFields,
    }),
    update: z.strictObject({ ...accessFields, is_active: z.boolean() }),
    filters: { company_id: reference('company') },
    orderBy: ['id', 'login', 'created_at', 'last_sign_in_at'],
    search: ['login'],
  },
  { read: 'admin', write: 'admin', reauthentication: true },
);

/** Operators are disabled and never deleted, because the audit log names them. */
export const operators = operatorCrud;

const operatorParams = z.strictObject({ id: reference('operator') });

export const setOperatorPassword = endpoint({
  operation: 'setOperatorPassword',
  reauthentication: true,
  method: 'POST',
  path: '/v1/operators/{id}/password',
  access: 'admin',
  summary: 'Give an operator a new password for one sign-in, after which they choose their own. Their sessions end',
  params: operatorParams,
  body: z.strictObject({ password: newPassword }),
  replies: { 200: operator, 404: errorReply },
});

export const endOperatorSessions = endpoint({
  operation: 'endOperatorSessions',
  method: 'POST',
  path: '/v1/operators/{id}/end-sessions',
  access: 'admin',
  summary: 'End the sessions of an operator',
  params: operatorParams,
  replies: { 200: operator, 404: errorReply },
});

export const changeOwnPassword = endpoint({
  operation: 'changeOwnPassword',
  choosingPassword: true,
  method: 'POST',
  path: '/v1/auth/password',
  access: 'session',
  load: 'login',
  summary: 'Change your own password; your other sessions end',
  body: z.strictObject({ current: z.string().min(1).max(1000), password: newPassword }),
  replies: { 204: z.null(), 409: errorReply, 429: errorReply },
});
