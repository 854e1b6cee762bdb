/** Mutations of sign-in, sessions, rights, origins, secrets and outgoing requests. */
import type { MutationsByTest } from './mutation.ts';

export const ACCESS_MUTATIONS: MutationsByTest = {
  'src/app.test.ts': {
    'Endpoints require no session': {
      file: 'src/platform/http/authorize.ts',
      change: ['const caller = requireAccess(', 'if (!found) return anonymous;\n  const caller = requireAccess('],
      failing: 'answers 401 without a session and changes nothing: no cookie',
    },
    'A member can use admin endpoints': {
      file: 'src/platform/http/caller.ts',
      disabled: "if (access === 'admin' && !caller.admin) throw",
      failing: 'refuses members at admin endpoints, in their own company too',
    },
    'A list shows the rows of all companies': {
      file: 'src/products/product.ts',
      change: ["where company_id = any($)'", "where company_id <> any($) or true'"],
      failing: "shows another company's member none of our rows in any list",
    },
    'A list is limited to companies only when a product is named': {
      file: 'src/platform/http/listQuery.ts',
      change: ['&& !isScoped(listing, query)', '&& isScoped(listing, query)'],
      failing: "shows another company's member none of our rows in any list",
    },
    'Members see the last characters of keys': {
      file: 'src/channels/routes.ts',
      change: ['caller.admin ? channel', 'true ? channel'],
      failing: 'shows no credentials to members',
    },
  },
  'src/platform/http/socketAccess.test.ts': {
    'An idle session does not expire in time': {
      file: 'src/access/store/sessions.ts',
      change: ['last_seen_at > clock_timestamp() - interval', 'last_seen_at > clock_timestamp() - 9 * interval'],
      failing: 'it was not used for 12 hours',
    },
    'Foreign pages can open sockets': {
      file: 'src/platform/contract.ts',
      removed: ' || one.socket',
      failing: "checks a socket's session, then its Origin, then access to its rows",
    },
    'Any address is upgraded to a socket': {
      file: 'src/platform/http/server.ts',
      change: ['request.ws && config?.isSocket !== true', 'request.ws && config?.isSocket === null'],
      failing: 'upgrades socket addresses only, and answers others without authentication',
    },
    'A socket accepts frames of any size': {
      file: 'src/platform/http/server.ts',
      change: ['maxPayload: MAX_FRAME,', 'maxPayload: MAX_FRAME * 1000,'],
      failing: 'closes a socket on a frame of 300 KB and keeps running',
    },
    'The live stream continues after the company is lost': {
      file: 'src/platform/http/revocation.ts',
      change: ['now.admin || references.size === 0 ? null', 'now.admin || references.size > 0 ? null'],
      failing: 'is no member of the company any more',
    },
    'Refusals are not logged': {
      file: 'src/platform/http/refusalLog.ts',
      disabled: 'if (code !== null && LOGGED.has(status))',
      failing: 'logs who was refused what and why, never the content',
    },
    'An idle socket stays open when its session ends': {
      file: 'src/platform/http/server.ts',
      removed: 'closeWhenRevoked(options.accessControl.onChange, call.stillAllowed, socket);',
      failing: 'closes only the idle socket of the operator concerned: its operator has signed out',
    },
  },
  'src/access/signIn.test.ts': {
    'Passwords can be guessed without a limit': {
      removed: 'count >= MAX_FAILURES || ',
      failing: 'stops wrong logins after five, for this login and address only',
    },
    'Scripts can read the session cookie': {
      file: 'src/access/routes.ts',
      change: ['httpOnly: true,', 'httpOnly: false,'],
      failing: 'opens a session identified by its cookie',
    },
    'A sign-in in progress survives the change of its password': {
      file: 'src/access/store/sessions.ts',
      removed: 'if (!(await lockIfPasswordUnchanged(tx, operatorId, passwordHash))) return false;',
      failing: 'ends a session opened with the old password while it was changed',
    },
    'A console that is left open extends its session': {
      file: 'src/access/session.ts',
      removed: "use === 'background' || ",
      failing: "does not extend a session by the console's own polling",
    },
    'A browser that signs in again leaves its former session open': {
      file: 'src/access/store/sessions.ts',
      disabled: 'if (former !== null) await',
      failing: "ends the browser's former session at sign-in, and allows twenty sessions",
    },
    'An operator can have any number of sessions': {
      file: 'src/access/store/sessions.ts',
      change: ['const MAX_SESSIONS = 20;', 'const MAX_SESSIONS = 2000;'],
      failing: "ends the browser's former session at sign-in, and allows twenty sessions",
    },
  },
  'src/access/guessing.test.ts': {
    'One password can be tried on every login': {
      file: 'src/access/signIn.ts',
      change: ['all >= MAX_FAILURES_OF_ADDRESS &&', 'all < 0 &&'],
      failing: 'stops guesses at all logins from one address after a hundred, and no other address',
    },
    'Each address of an IPv6 network has its own limit of guesses': {
      file: 'src/access/origin.ts',
      change: ['network: networkOf(request.ip),', 'network: networkOf(request.ip) && request.ip,'],
      failing: 'counts guesses from one IPv6 network together, and those of other networks apart',
    },
    'A forged client address is trusted': {
      file: 'src/platform/config.ts',
      change: ["if (raw === 'on' || raw === 'true') return 1;", "if (raw === 'on' || raw === 'true') return 9;"],
      failing: 'ignores a forged X-Forwarded-For when limiting guesses',
    },
  },
  'src/platform/http/heartbeat.test.ts': {
    'Data for a client that does not read is buffered without a limit': {
      disabled: 'if (socket.bufferedAmount > MAX_BUFFERED)',
      failing: 'disconnects a client that sends without reading, and keeps one that reads',
    },
  },
  'src/platform/http/badInput.test.ts': {
    'Bodies of any content type are read': {
      file: 'src/platform/http/bodies.ts',
      disabled: 'if (request.routeOptions.config.loose !== true) return done(',
      failing: 'answers 415 to a body of another content type',
    },
    'Bodies of any size are read': {
      file: 'src/platform/contract.ts',
      change: ['const BODY_LIMIT = 1024 * 1024;', 'const BODY_LIMIT = 1024 * 1024 * 9;'],
      failing: 'answers 413 to a body of 2 MB and keeps running',
    },
  },
  'src/platform/http/declared.test.ts': {
    'A row can refer to a lead of another product': {
      file: 'migrations/0005_leads.sql',
      change: [
        'unique (lead_id, contact_type, address),\n  foreign key (lead_id, product_id) references leads (id, product_id) on delete cascade',
        'unique (lead_id, contact_type, address),\n  foreign key (lead_id) references leads (id) on delete cascade',
      ],
      failing: 'refuses rows that refer across products or companies: each foreign key carries both ids',
    },
  },
  'src/platform/secretCipher.test.ts': {
    'A sealed secret can be opened in another column': {
      removed: '.${location}',
      failing: 'does not decrypt a secret moved to another row, column or table',
    },
  },
  'src/llm/routes.test.ts': {
    'A stored key is sent to a new address': {
      change: ['(before.config.base_url ?? null) && !isNew)', '(before.config.base_url ?? null) && key === null)'],
      failing: 'keeps the key when its mask is sent back, and asks for it again when the address changes',
    },
  },
  'src/platform/outbound.test.ts': {
    'A name that resolves to this machine is called': {
      change: ['addresses.filter((one) => isPublicAddress(one.address))', 'addresses.filter((one) => one.address)'],
      failing: 'never connects to a name',
    },
    'An internal address is called': {
      change: ['isInternalName(host) : isPublicAddress(host)', 'isInternalName(host) : true'],
      failing: 'refuses an outgoing request to the cloud’s metadata',
    },
    'Other IPv6 forms of an internal address count as public': {
      removed: "globalRange.check(address, 'ipv6') && ",
      failing: 'classifies 0:0:0:0:ffff:0:7f00:1 as not public',
    },
    'Keys are sent over plain HTTP': {
      disabled: "if (url.protocol !== 'https:') throw",
      failing: 'connects to an allowed host and port on a private address and to no other',
    },
    'A redirect counts as an answer': {
      change: ['if (!REDIRECTS.has(answer.statusCode)) return answer;', 'return answer;'],
      failing: 'follows no redirects',
    },
    'A response of any size is read': {
      disabled: 'if (size > MAX_ANSWER) throw',
      failing: 'reads at most 2 MB of a response',
    },
    'A stream of any size is read': {
      removed: 'maxResponseSize: MAX_STREAM,',
      failing: 'ends a stream at 8 MB',
    },
  },
  'src/platform/http/answerHeaders.test.ts': {
    'Pages run inline scripts': {
      file: 'src/platform/http/headers.ts',
      change: [`"script-src 'self'",`, `"script-src 'self' 'unsafe-inline'",`],
      failing: 'sends the security headers with every response: successes, refusals, streams, pages and 404s',
    },
    'Browsers can return over plain HTTP': {
      file: 'src/platform/http/headers.ts',
      change: ['const more = secure ? HTTPS_ONLY : {};', 'const more = secure ? {} : {};'],
      failing: 'sends the security headers with every response: successes, refusals, streams, pages and 404s',
    },
  },
  'src/platform/csv.test.ts': {
    'An exported cell can be a formula': {
      change: ['follows = FORMULA.test(part) ||', "follows = part === '=' ||"],
      failing: 'is no formula',
    },
  },
  'src/access/accounts.test.ts': {
    'A login can mix alphabets': {
      file: 'src/access/login.ts',
      disabled: 'if (!SINGLE_SCRIPT_PATTERNS.some((pattern) => pattern.test(login)))',
      failing: 'refuses a login that looks like another one',
    },
    'A login can contain invisible characters': {
      file: 'src/access/login.ts',
      disabled: 'if (INVISIBLE.test(login))',
      failing: 'refuses a login that looks like another one',
    },
    'Logins that look alike are accepted': {
      file: 'migrations/0034_sign_in.sql',
      change: ['create unique index operators_login_key', 'create index operators_login_key'],
      failing: 'refuses a login that looks like another one',
    },
    'A common password is accepted': {
      file: 'src/access/newPassword.ts',
      removed: '|| commonPasswords().includes(`\\n${normalized}\\n`)',
      failing: 'refuses common passwords, whether set by an admin or by the operator',
    },
    'A password that somebody else has set can be kept': {
      file: 'src/platform/http/caller.ts',
      disabled: 'if (caller.mustChangePassword && !choosingPassword)',
      failing: 'requires a new password at sign-in when somebody else set the current one',
    },
  },
  'src/access/secondFactors.test.ts': {
    'The password alone opens a session although a second factor is due': {
      file: 'src/access/store/sessions.ts',
      removed: ' and not s.second_factor_due',
      failing: 'asks for a code after the password, which alone opens no session',
    },
    'A code of the authenticator is accepted twice': {
      file: 'src/access/totp.ts',
      change: ['(lastStep === null || step > lastStep)', '(lastStep === null || step > 0)'],
      failing: 'activates with the first code, and accepts no code twice, even at once',
    },
    'A required second factor can be skipped': {
      file: 'src/platform/http/caller.ts',
      disabled: 'if (caller.mustEnrol && !enrolling && !choosingPassword)',
      failing: 'requires adding a second factor first, and locks no admin out',
    },
    'Credentials change without a confirmation': {
      file: 'src/platform/http/caller.ts',
      change: ['performance.now() >= caller.reauthenticatedUntil', 'caller.reauthenticatedUntil < 0'],
      failing: 'asks for the password again after 15 minutes',
    },
    'Failed sign-ins are not recorded': {
      file: 'src/access/authEvents.ts',
      change: ['await recordAuditEntry(tx, {', 'if (operator !== null) await recordAuditEntry(tx, {'],
      failing: 'records sign-ins, failures, lock-outs and logouts, never a typed unknown login',
    },
    'An operator can end the sessions of others': {
      file: 'src/access/store/sessions.ts',
      change: ['operator_id = ${operatorId} returning 1', '${operatorId} > 0 returning 1'],
      failing: 'lists sessions with their origin, and ends one or all others',
    },
  },
  'src/platform/http/refusalLog.test.ts': {
    'Refusals flood the log': {
      change: ['lines.has(own) || lines.size < MOST_LINES', 'lines.has(own) || MOST_LINES > 0'],
      failing: 'bounds the refusal log however many addresses there are',
    },
  },
  'src/platform/http/revocation.test.ts': {
    'A queued request runs with rights that were revoked meanwhile': {
      file: 'src/platform/http/requestChecks.ts',
      change: ['(await callerNow({ ...use, caller: authorized.caller }))', 'authorized.caller'],
      failing: 'checks access again when a queued request starts',
    },
    'Data is returned although access was revoked while it was read': {
      file: 'src/platform/http/server.ts',
      disabled: "if (endpoint.method === 'GET' && answer !== 'answered') await",
      failing: 'checks access again before it returns what was being read',
    },
    'A list is returned although the caller can access less than when it was read': {
      disabled: 'if (references.size === 0 && reachesLess(now, entered.caller))',
      failing: 'checks access again before it returns what was being read',
    },
    'A plan is returned although access was revoked': {
      file: 'src/outreach/rehearsalRoutes.ts',
      removed: '      await requireStill();\n',
      failing: 'ends streams, sockets, model answers, imports, documents and plans under way',
    },
    'A change is committed although the session has ended': {
      file: 'src/access/lockRights.ts',
      disabled: 'if (role === null) throw',
      failing: 'ends streams, sockets, model answers, imports, documents and plans under way',
    },
    "An admin's change is committed although they were demoted": {
      file: 'src/access/lockRights.ts',
      disabled: 'if (admin) throw',
      failing: "refuses a demoted admin's change that was under way",
    },
    'A change is committed although the company is lost': {
      file: 'src/access/lockRights.ts',
      disabled: 'if (await lostAmong(tx, id, { had: had ?? [], products, companies }))',
      failing: 'ends streams, sockets, model answers, imports, documents and plans under way',
    },
    'Rights can be revoked while a change is committed': {
      file: 'src/access/lockRights.ts',
      removed: 'await lockOperatorShared(tx, id);',
      failing: 'waits for a change that is about to be committed',
    },
    'The download of the audit log continues although access was revoked': {
      file: 'src/access/auditRoutes.ts',
      removed: '    await requireStill();\n',
      failing: 'ends the audit export when its reader is no longer an admin',
    },
  },
};
