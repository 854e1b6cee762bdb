/** Mutations of what keeps one company, or one caller, from harming others. */
import type { MutationsByTest } from './mutation.ts';

export const SECURITY_MUTATIONS: MutationsByTest = {
  'src/live/movedProduct.test.ts': {
    'The company of a product is never looked up again': {
      file: 'src/access/companiesOfProducts.ts',
      removed: "context.notifications.on('access_changed', forget, forget);",
      failing: 'sends the events of a product that has moved to the members of its new company alone',
    },
  },
  'src/studio/checks/inThread.test.ts': {
    'Answers are checked on the event loop': {
      file: 'src/studio/gate/gateKind.ts',
      change: [
        'const checked = await checkAnswer(',
        "const checked = await ((_threads: unknown, { requirements: all, input: one }: Parameters<typeof checkAnswer>[1]) => import('../checks/check.ts').then(({ checkAll }) => checkAll(all, one)))(",
      ],
      failing: 'checks the answers of a gate in a thread',
    },
    'Each of thirty slow requirements may use up the limit': {
      file: 'src/studio/checks/inThread.ts',
      change: ['const MOST_SLOW = 3;', 'const MOST_SLOW = 5;'],
      failing: 'checks nothing more after three requirements that take too long',
    },
  },
  'src/platform/threads.test.ts': {
    'The start of a thread counts as work': {
      file: 'src/platform/threads.ts',
      change: ['if (hasStarted) startBudget();', 'if (timer === undefined) startBudget();'],
      failing: 'counts no time for the start of a thread',
    },
    'Work has no limit of CPU time': {
      file: 'src/platform/threads.ts',
      change: ['isWatched && used > limitMs', 'isWatched && used > limitMs * 10_000'],
      failing: 'ends work that exceeds its budget of CPU time, long before the other one',
    },
  },
  'src/studio/gate/undecided.test.ts': {
    'What could not be checked in time passes': {
      file: 'src/studio/gate/gateKind.ts',
      disabled: 'if (counted.some(isUndecided)) return null;',
      failing: 'does not pass if no answer could be checked in time, of the candidate or of what is live',
    },
  },
  'src/testing/worstTexts.test.ts': {
    'Any number of marks on a letter is brought into order': {
      file: 'src/platform/normalizeText.ts',
      change: ["text.replaceAll(MANY_MARKS, '$1').normalize(form)", 'text.normalize(form)'],
      failing: 'normalizeWording has a bound, whatever the text is',
    },
    'A quotation without an end is looked for up to the end': {
      file: 'src/conversations/closing.ts',
      change: ['«[^»]{0,300}»', '«[^»]*»'],
      failing: 'asksSomething has a bound, whatever the text is',
    },
    'An address is read in a text of any length': {
      file: 'src/leads/addressText.ts',
      change: ['text.length > MAX_TEXT', 'text.length < 0'],
      failing: 'readAddresses has a bound, whatever the text is',
    },
    'A quoting line is sought through all blank lines': {
      file: 'src/leads/words.ts',
      change: ['/^[^\\S\\n\\r\\u2028\\u2029]*>/m', '/^\\s*>/m'],
      failing: 'readWords has a bound, whatever the text is',
    },
    'An address is sought from every letter of a long word': {
      file: 'src/studio/checks/facts.ts',
      change: ['(?<![\\w.+-])[\\w.+-]+@', '[\\w.+-]+@'],
      failing: 'factsIn has a bound, whatever the text is',
    },
  },
  'src/platform/outbound.test.ts': {
    'An exception for a host holds for all its ports': {
      file: 'src/platform/outbound.ts',
      change: [
        'rules.hosts.includes(`${url.hostname}:${portOf(url)}`)',
        'rules.hosts.some((one) => one.startsWith(url.hostname))',
      ],
      failing: 'connects to an allowed host and port on a private address and to no other',
    },
    'A name of this machine is stored': {
      file: 'src/platform/outbound.ts',
      change: [
        'isIP(host) === 0 ? !isInternalName(host) : isPublicAddress(host)',
        'isIP(host) === 0 || isPublicAddress(host)',
      ],
      failing: 'refuses the name localhost before it is resolved',
    },
    'Any port of a public host is reached': {
      file: 'src/platform/outbound.ts',
      change: ['rules.ports !== null && !rules.ports.includes(portOf(url))', 'false'],
      failing: 'refuses https://example.com:22/: a public host, but another port than 443',
    },
  },
  'src/access/guessing.test.ts': {
    'Each text that is no address is a network': {
      file: 'src/access/network.ts',
      change: ['if (!isIPv6(address)) return NO_ADDRESS;', 'if (!isIPv6(address)) return text;'],
      failing: 'maps the address not an address to the network unknown',
    },
    'A port makes another network': {
      file: 'src/access/network.ts',
      change: ['?? /^([\\d.]+):\\d*$/.exec(unquoted)?.[1] ?? unquoted', '?? unquoted'],
      failing: 'maps the address 203.0.113.7:4711 to the network 203.0.113.7',
    },
  },
  'src/access/wrongCodes.test.ts': {
    'Codes can be guessed without a wait': {
      file: 'src/access/secondStep.ts',
      change: ["'code' in step ? await secondsToWait(tx, operator.id) : 0", '0'],
      failing: 'waits longer after each further one, whatever the sign-in, until a code is right',
    },
    'The wait does not grow': {
      file: 'src/access/secondFactorGuesses.ts',
      change: ['FIRST_WAIT_SECONDS * 2 ** further', 'FIRST_WAIT_SECONDS'],
      failing: 'allows at most 42 codes in 30 days, and 13 a day to an operator who signs in daily',
    },
    'A wait ends with no success': {
      file: 'src/access/secondStep.ts',
      removed: 'await clearWait(tx, operator.id);',
      failing: 'waits longer after each further one, whatever the sign-in, until a code is right',
    },
    'Recovery codes wait as codes do': {
      file: 'src/access/secondStep.ts',
      change: ["'code' in step ? await secondsToWait(tx, operator.id) : 0", 'await secondsToWait(tx, operator.id)'],
      failing: 'leaves recovery codes usable while codes wait, limited for each network',
    },
    'Recovery codes can be tried without a limit': {
      file: 'src/access/secondStep.ts',
      change: ["'code' in step ? false : await countAttempt(context, attempts, origin)", 'false'],
      failing: 'leaves recovery codes usable while codes wait, limited for each network',
    },
    'The owner of a guessed account is not told': {
      file: 'src/access/secondFactorGuesses.ts',
      removed: 'if (seconds > 0) await setWait(tx, operatorId, seconds);',
      failing: 'notifies the operator, until they dismiss it or change the password',
    },
    'A step that comes too late consumes a recovery code': {
      file: 'src/access/secondStep.ts',
      change: ['(await findPendingSignIn(tx, pending.tokenHash)) !== null', 'true'],
      failing: 'consume one recovery code for one sign-in, and one sign-in for one recovery code',
    },
  },
  'src/testing/dataDirectory.test.ts': {
    'Others can hold the lock': {
      file: 'src/platform/postgres/lock.ts',
      removed: "ensurePrivateFile(join(dataDir, 'lock'));",
      failing: 'creates lock and journal for us alone, and closes them at the next start',
    },
    'Files of an earlier version stay open to others': {
      file: 'src/platform/postgres/supervisor.ts',
      removed: 'closeOwnFiles(dir);',
      failing: 'creates lock and journal for us alone, and closes them at the next start',
    },
    'The data directory stays open to others': {
      file: 'src/platform/postgres/supervisor.ts',
      removed: 'closeFolder(dir, cluster, log);',
      failing: 'creates lock and journal for us alone, and closes them at the next start',
    },
    'A folder with files for others is closed': {
      file: 'src/platform/postgres/privateFiles.ts',
      disabled: 'if (foreign.length > 0)',
      failing: 'leaves a data directory open that holds files for others, with its own files closed',
    },
  },
  'src/platform/http/requestHeaders.test.ts': {
    'The second of two hosts is dropped without a word': {
      disabled: "if (earlier !== undefined && (name === 'host' || earlier !== value))",
      failing: 'is refused with two values: a second host',
    },
    'The same host twice is accepted': {
      change: ["(name === 'host' || earlier !== value)", 'earlier !== value'],
      failing: 'is refused with two values: the same host twice',
    },
    'The second of two tokens is dropped without a word': {
      change: ["'authorization', ", ''],
      failing: 'is refused with two values: two tokens',
    },
    'A compressed body is read as JSON': {
      file: 'src/platform/http/server.ts',
      removed: 'refuseCompressedBodies(server);',
      failing: 'is refused with a reason: gzip',
    },
  },
  'src/llm/warnUnreachable.test.ts': {
    'Nobody is told that a model server is no longer reached': {
      change: ['if (reason === null) continue;', 'continue;'],
      failing: 'names each model server that the settings of version 1.0.0 no longer open',
    },
  },
  'src/studio/command/gate.test.ts': {
    'A name of a case writes into the log of a build server': {
      file: 'src/studio/command/main.ts',
      change: ['console.log(printable(line))', 'console.log(line)'],
      failing: 'prints no control characters of a name that a member has given',
    },
  },
  'src/platform/postgres/roles.test.ts': {
    'Every role of the server may use the rights of the tables’ owner': {
      file: 'migrations/grants.sql',
      removed: 'revoke execute on function analyze_tables(), analyze_grown_tables() from public;',
      failing: 'runs no function with the rights of its owner under a search path of the caller',
    },
  },
};
