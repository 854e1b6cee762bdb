/**
 * One-line sabotages, each with the test that has to notice. A promise that nobody would miss is no promise: who adds a
 * guarding line adds its sabotage here.
 */
export interface Sabotage {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once; a sabotage that no longer applies is an error. */
  readonly from: string;
  readonly to: string;
  readonly test: string;
  /** Part of the names of the tests that are to turn red. */
  readonly named: string;
}

export const SABOTAGES: readonly Sabotage[] = [
  {
    name: 'What waits for a model holds its job',
    file: 'src/jobs/runner.ts',
    from: 'if (!task.lane) return observed',
    to: 'if (task.name) return observed',
    test: 'src/dialogues/hangs.test.ts',
    named: 'hundreds of dialogues wait',
  },
  {
    name: 'A stream that cannot be read is left open',
    file: 'src/llm/attempt.ts',
    from: '    patience.abort();\n  }\n}',
    to: '  }\n}',
    test: 'src/chatbot/brokenStreams.test.ts',
    named: 'memory is as it was',
  },
  {
    name: 'Every try to send has a key of its own',
    file: 'src/channels/wazzup24/driver.ts',
    from: 'crmMessageId: request.key,',
    to: 'crmMessageId: crypto.randomUUID(),',
    test: 'src/dialogues/deliver.test.ts',
    named: '5xx after accepting',
  },
  {
    name: 'What a vendor tells twice is stored twice',
    file: 'migrations/0008_dialogues.sql',
    from: 'unique (account_id, kind, ext_id, status)',
    to: "check (kind <> '')",
    test: 'src/dialogues/receive.test.ts',
    named: 'twenty times at once has one effect',
  },
  {
    name: 'The last status wins',
    file: 'src/dialogues/store/messages.ts',
    from: 'else 9 end < ${rank}',
    to: 'else 9 end <> ${rank}',
    test: 'src/dialogues/statuses.test.ts',
    named: 'statuses only climb',
  },
  {
    name: 'A claim does not ask who owns the dialogue',
    file: 'src/dialogues/deliver.ts',
    from: "if (dialogue.owner !== 'bot') return `A human",
    to: 'if (dialogue.owner === null) return `A human',
    test: 'src/dialogues/turn.test.ts',
    named: 'the dialogue is handed over',
  },
  {
    name: 'A claim does not ask whether the lead wrote again',
    file: 'src/dialogues/deliver.ts',
    from: 'if (message.debounce_guard && message.turn !== null && message.turn !== dialogue.turn)',
    to: 'if (message.debounce_guard && message.turn === -1)',
    test: 'src/dialogues/turn.test.ts',
    named: 'a newer turn has begun',
  },
  {
    name: 'Requests of foreign pages are taken',
    file: 'src/platform/http/server.ts',
    from: 'if (origin === undefined || !options.isOurOrigin(origin)) throw',
    to: "if (origin === '') throw",
    test: 'src/house.test.ts',
    named: 'a request from a foreign page',
  },
  {
    name: 'Ids of other companies are taken',
    file: 'src/platform/http/server.ts',
    from: 'if (missing) throw',
    to: "if (missing === '') throw",
    test: 'src/house.test.ts',
    named: 'a member of another company',
  },
  {
    name: 'A hook is acknowledged before it is committed',
    file: 'src/dialogues/ingest.ts',
    from: 'const stored = await write(told);',
    to: 'const stored = (void write(told), 1);',
    test: 'src/dialogues/ingest.test.ts',
    named: 'is answered only when it is committed',
  },
  {
    name: 'A status and the answer to its send do not wait for each other',
    file: 'src/dialogues/store/inbox.ts',
    from: 'select pg_advisory_xact_lock(hashtextextended(${extId}, ${accountId}))',
    to: 'select hashtextextended(${extId}, ${accountId})',
    test: 'src/dialogues/statusRace.test.ts',
    named: 'do not pass each other',
  },
  {
    name: 'One hook that cannot be stored takes others with it',
    file: 'src/platform/gather.ts',
    from: 'if (batch.length > 1 && !isHopeless(error))',
    to: 'if (batch.length > 1e9)',
    test: 'src/platform/gather.test.ts',
    named: 'harm no other',
  },
  {
    name: 'A judgement counts though a human took over meanwhile',
    file: 'src/dialogues/classify.ts',
    from: 'const why = dialogue.turn === row.turn ? await obstacle(tx, dialogue, lead) : NEWER;',
    to: 'const why = dialogue.turn === row.turn ? null : NEWER;',
    test: 'src/dialogues/classify.test.ts',
    named: 'a hand-over: nothing is moved',
  },
  {
    name: 'First messages of a product are claimed side by side',
    file: 'src/outreach/first.ts',
    from: '  await lockLine(tx, productId);\n',
    to: '',
    test: 'src/chaos/firsts.test.ts',
    named: 'keep limit and interval',
  },
  {
    name: 'Working hours end a minute late',
    file: 'src/outreach/window.ts',
    from: 'minute < window.end',
    to: 'minute <= window.end',
    test: 'src/outreach/window.test.ts',
    named: 'minute by minute',
  },
  {
    name: 'The plan does not wait for the interval',
    file: 'src/outreach/plan.ts',
    from: 'if (spacing > 0) freeAt = now + spacing;',
    to: '',
    test: 'src/outreach/plan.test.ts',
    named: 'limits, ramps and the interval',
  },
  {
    name: 'A refusal that may pass is taken for certain though an earlier try may have arrived',
    file: 'src/dialogues/deliver.ts',
    from: 'doubtful ? inDoubt(told) : told',
    to: 'told',
    test: 'src/dialogues/deliver.test.ts',
    named: '429 on the repeat',
  },
];
