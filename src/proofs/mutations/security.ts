/** Mutations of authorization: sign-in, access scope, origins, sockets, secrets, and outgoing requests. */
import type { MutationsByTest } from './mutation.ts';

export const SECURITY_MUTATIONS: MutationsByTest = {
  'src/app.test.ts': {
    'Endpoints ask for no session': {
      file: 'src/platform/http/authorize.ts',
      change: [
        'const caller = requireAccess(endpoint, found);',
        `if (!found) return anonymous;
  const caller = requireAccess(endpoint, found);`,
      ],
      failing: 'answers 401 without a session and changes nothing: no cookie',
    },
    'A member may do what is an admin’s': {
      file: 'src/platform/http/caller.ts',
      change: ["if (access === 'admin' && !caller.admin) throw", "if (access === 'admin' && caller.id < 0) throw"],
      failing: 'refuses members at admin endpoints, in their own company too',
    },
    'A list shows the rows of all companies': {
      file: 'src/products/product.ts',
      change: [
        "'t.product_id in (select id from products where company_id = any($))'",
        "'t.product_id in (select id from products where company_id <> any($) or true)'",
      ],
      failing: "shows another company's member none of our rows in any list",
    },
    'Members see the keys’ last characters': {
      file: 'src/channels/routes.ts',
      change: [
        'caller.admin ? channel : { ...channel, credentials: null }',
        'caller.id > 0 ? channel : { ...channel, credentials: null }',
      ],
      failing: 'shows no credentials to members',
    },
  },
  'src/platform/http/socketAccess.test.ts': {
    'A session never grows old': {
      file: 'src/access/store/sessions.ts',
      change: [
        'IS_OPEN = `s.last_seen_at > clock_timestamp() - interval',
        'IS_OPEN = `s.last_seen_at > clock_timestamp() - 9 * interval',
      ],
      failing: 'it was not used for 12 hours',
    },
    'Sockets are opened for foreign pages': {
      file: 'src/platform/contract.ts',
      change: [
        "one.access !== 'hook' && (one.method !== 'GET' || one.socket)",
        "one.access !== 'hook' && one.method !== 'GET'",
      ],
      failing: "checks a socket's session, then its Origin, then access to its rows",
    },
    'Any address is upgraded to a socket': {
      file: 'src/platform/http/server.ts',
      change: ['request.ws && config?.isSocket !== true', 'request.ws && config?.isSocket === null'],
      failing: 'upgrades socket addresses only, and answers others without authentication',
    },
    'A socket takes frames of any size': {
      file: 'src/platform/http/server.ts',
      change: ['maxPayload: MAX_FRAME,', 'maxPayload: MAX_FRAME * 1000,'],
      failing: 'closes a socket on a frame of 300 KB',
    },
    'The live stream goes on after the company is lost': {
      file: 'src/platform/http/revocation.ts',
      change: ['now.admin || references.size === 0 ? null', 'now.admin || references.size > 0 ? null'],
      failing: 'is no member of the company any more',
    },
  },
  'src/access/signIn.test.ts': {
    'Passwords may be guessed for ever': {
      file: 'src/access/signIn.ts',
      change: ['if (count >= MAX_FAILURES || tooMany)', 'if (tooMany)'],
      failing: 'stops wrong logins after five, for this login and address only',
    },
    'Scripts may read the session’s cookie': {
      file: 'src/access/routes.ts',
      change: ['httpOnly: true,', 'httpOnly: false,'],
      failing: 'opens a session identified by its cookie',
    },
  },
  'src/access/guessing.test.ts': {
    'One password may be tried on everybody': {
      file: 'src/access/signIn.ts',
      change: ['all >= MAX_FAILURES_OF_ADDRESS &&', 'all < 0 &&'],
      failing: 'stops guesses at all logins from one address after a hundred, and no other address',
    },
    'Each address of an IPv6 network guesses anew': {
      file: 'src/access/origin.ts',
      change: ['network: networkOf(request.ip),', 'network: networkOf(request.ip) && request.ip,'],
      failing: 'counts guesses from one IPv6 network together, and those of other networks apart',
    },
    'A client’s own word for its address is taken': {
      file: 'src/platform/config.ts',
      change: ["if (raw === 'on' || raw === 'true') return 1;", "if (raw === 'on' || raw === 'true') return 9;"],
      failing: 'ignores a forged X-Forwarded-For when limiting guesses',
    },
  },
  'src/platform/http/heartbeat.test.ts': {
    'What a client does not take is kept for it without end': {
      file: 'src/platform/http/heartbeat.ts',
      change: ['if (socket.bufferedAmount > MAX_BUFFERED)', 'if (socket.bufferedAmount < 0)'],
      failing: 'disconnects a client that sends without reading, and keeps one that reads',
    },
  },
  'src/platform/http/badInput.test.ts': {
    'Bodies of any kind are read': {
      file: 'src/platform/http/bodies.ts',
      change: [
        'if (request.routeOptions.config.loose !== true) return done(',
        'if (request.routeOptions.config.loose === null) return done(',
      ],
      failing: 'answers 415 to a body of another content type',
    },
    'Bodies of any size are read': {
      file: 'src/platform/contract.ts',
      change: ['const BODY_LIMIT = 1024 * 1024;', 'const BODY_LIMIT = 1024 * 1024 * 9;'],
      failing: 'answers 413 to a body of 2 MB and keeps running',
    },
  },
  'src/platform/http/declared.test.ts': {
    'A row may hang on a lead of another product': {
      file: 'migrations/0005_leads.sql',
      change: [
        `unique (lead_id, contact_type, address),
  foreign key (lead_id, product_id) references leads (id, product_id) on delete cascade`,
        `unique (lead_id, contact_type, address),
  foreign key (lead_id) references leads (id) on delete cascade`,
      ],
      failing: 'refuses rows that refer across products or companies: each foreign key carries both ids',
    },
  },
  'src/platform/secretCipher.test.ts': {
    'A sealed secret opens in any row': {
      file: 'src/platform/secretCipher.ts',
      change: ['.${id}.${location}`);', '.${id}`);'],
      failing: 'does not decrypt a secret moved to another row, column or table',
    },
  },
  'src/llm/routes.test.ts': {
    'A stored key goes to a new address': {
      file: 'src/llm/routes.ts',
      change: ['(before.config.base_url ?? null) && !isNew)', '(before.config.base_url ?? null) && key === null)'],
      failing: 'keeps the key when its mask is sent back, and asks for it again when the address changes',
    },
  },
  'src/platform/outbound.test.ts': {
    'A name that resolves to this machine is called': {
      file: 'src/platform/outbound.ts',
      change: ['addresses.filter((one) => isPublicAddress(one.address))', 'addresses.filter((one) => one.address)'],
      failing: 'never connects to a name',
    },
    'An inner address is called': {
      file: 'src/platform/outbound.ts',
      change: ['if (isIP(host) !== 0 && !isPublicAddress(host)) throw', "if (host === '') throw"],
      failing: 'refuses an outgoing request to the cloud’s metadata',
    },
    'The many forms of an inner address in IPv6 are public': {
      file: 'src/platform/outbound.ts',
      change: ["return globalRange.check(address, 'ipv6') && !privateRanges", 'return !privateRanges'],
      failing: 'classifies 0:0:0:0:ffff:0:7f00:1 as not public',
    },
    'Keys go out over plain http': {
      file: 'src/platform/outbound.ts',
      change: ["if (url.protocol !== 'https:') throw", "if (url.protocol === 'ftp:') throw"],
      failing: 'connects to an allowed host on a private address and to no other',
    },
    'Redirects are followed': {
      file: 'src/platform/outbound.ts',
      change: ["redirect: 'error',", "redirect: 'follow',"],
      failing: 'follows no redirects',
    },
    'An answer of any size is read': {
      file: 'src/platform/outbound.ts',
      change: ['if (size > MAX_ANSWER) throw', 'if (size < 0) throw'],
      failing: 'reads at most 2 MB of a response',
    },
  },
  'src/platform/http/answerHeaders.test.ts': {
    'Pages run scripts that stand in them': {
      file: 'src/platform/http/headers.ts',
      change: [`"script-src 'self'",`, `"script-src 'self' 'unsafe-inline'",`],
      failing: 'sends the security headers with every response: successes, refusals, streams, pages and 404s',
    },
    'Browsers come back by http': {
      file: 'src/platform/http/headers.ts',
      change: ['const more = secure ? HTTPS_ONLY : {};', 'const more = secure ? {} : {};'],
      failing: 'sends the security headers with every response: successes, refusals, streams, pages and 404s',
    },
  },
  'src/platform/csv.test.ts': {
    'A cell of an export is a formula': {
      file: 'src/platform/csv.ts',
      change: ['follows = FORMULA.test(part) ||', "follows = part === '=' ||"],
      failing: 'is no formula',
    },
  },
};
