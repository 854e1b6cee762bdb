/** Mutations of dialogues, sending, budgets and classification. */
import type { MutationsByTest } from './mutation.ts';

export const CORE_MUTATIONS: MutationsByTest = {
  'src/outbox/hangs.test.ts': {
    'What waits for a model holds its job': {
      file: 'src/jobs/runner.ts',
      change: ['if (!task.concurrencyKey) return runObserved', 'if (task.name) return runObserved'],
      failing: 'hundreds of dialogues wait',
    },
  },
  'src/studio/brokenStreams.test.ts': {
    'A stream that cannot be read is left open': {
      file: 'src/llm/modelAttempt.ts',
      change: [
        `    timeout.abort();
  }
}`,
        `  }
}`,
      ],
      failing: 'ends each broken stream in an error or a whole answer, without leaking memory',
    },
  },
  'src/outbox/deliver.test.ts': {
    'Every try to send has a key of its own': {
      file: 'src/channels/wazzup24/driver.ts',
      change: ['crmMessageId: request.key,', 'crmMessageId: crypto.randomUUID(),'],
      failing: '5xx after accepting',
    },
    'A refusal that may pass is taken for certain though an earlier try may have arrived': {
      file: 'src/outbox/deliver.ts',
      change: ['maybeDelivered ? asUnknownIfPassing(vendorOutcome) : vendorOutcome', 'vendorOutcome'],
      failing: 'repeats an uncertain send after 429 until the vendor reports its status',
    },
  },
  'src/inbox/receive.test.ts': {
    'What a vendor tells twice is stored twice': {
      file: 'migrations/0008_dialogues.sql',
      change: ['unique (account_id, kind, ext_id, status)', "check (kind <> '')"],
      failing: 'has one effect when delivered twenty times at once',
    },
  },
  'src/inbox/statuses.test.ts': {
    'The last status wins': {
      file: 'src/inbox/store/deliveryReports.ts',
      change: ['else 9 end < ${rank}', 'else 9 end <> ${rank}'],
      failing: 'statuses only climb',
    },
  },
  'src/conversations/reply.test.ts': {
    'A claim does not ask who owns the dialogue': {
      file: 'src/leads/lead.ts',
      change: ["if (owner === 'human') return", 'if (owner === null) return'],
      failing: 'the dialogue is handed over',
    },
    'A claim does not ask whether the lead wrote again': {
      file: 'src/outbox/blockReasons.ts',
      change: ['message.turn !== null && message.turn !== turn;', 'message.turn === -1;'],
      failing: 'a newer turn has begun',
    },
  },
  'src/app.test.ts': {
    'Requests of foreign pages are taken': {
      file: 'src/platform/http/authorize.ts',
      change: ['if (!isOurOrigin(origin)) throw', "if (origin === '') throw"],
      failing: 'a request from a foreign page',
    },
    'Ids of other companies are taken': {
      file: 'src/platform/http/server.ts',
      change: ['if (inaccessible) throw', "if (inaccessible === '') throw"],
      failing: 'a member of another company',
    },
  },
  'src/inbox/ingest.test.ts': {
    'A hook is acknowledged before it is committed': {
      file: 'src/inbox/ingest.ts',
      change: [
        'const stored = await write(hook).catch(',
        `const stored = (void write(hook), []);
  void Promise.resolve().catch(`,
      ],
      failing: 'is acknowledged only after the commit',
    },
  },
  'src/inbox/statusRace.test.ts': {
    'A status and the answer to its send do not wait for each other': {
      file: 'src/inbox/store/items.ts',
      change: [
        'select pg_advisory_xact_lock(hashtextextended(${extId}, ${accountId}))',
        'select hashtextextended(${extId}, ${accountId})',
      ],
      failing: 'applies a status after the answer to its send',
    },
  },
  'src/platform/batchWrites.test.ts': {
    'One hook that cannot be stored takes others with it': {
      file: 'src/platform/batchWrites.ts',
      change: ['if (batch.length === 1 || isFatal(error)) for', 'if (batch.length > 0) for'],
      failing: 'writes the rest of a batch when one item is refused',
    },
  },
  'src/conversations/classifyTurn.test.ts': {
    'A judgement counts though a human took over meanwhile': {
      file: 'src/conversations/classifyTurn.ts',
      change: [
        'const reasonToSkip = await blockReason(tx, { dialogue, lead, classifiedTurn: row.turn });',
        'const reasonToSkip = null as string | null;',
      ],
      failing: 'moves nothing after a hand-over',
    },
  },
  'src/outreach/sendFirstMessages.test.ts': {
    'First messages of a product are claimed side by side': {
      file: 'src/outreach/sendFirstMessages.ts',
      change: [
        `  await lockQueue(tx, productId);
`,
        '',
      ],
      failing: 'keeps the interval to one that another worker claims at the same time',
    },
  },
  'src/outreach/workingHours.test.ts': {
    'Working hours end a minute late': {
      file: 'src/outreach/workingHours.ts',
      change: ['minute < window.end', 'minute <= window.end'],
      failing: 'minute-by-minute search',
    },
  },
  'src/outreach/plan.test.ts': {
    'The plan does not wait for the interval': {
      file: 'src/outreach/plan.ts',
      change: ['if (spacing > 0) freeAt = now + spacing;', ''],
      failing: 'decides no more first messages than limits, warm-up and interval allow',
    },
  },
  'src/crm/oauth.test.ts': {
    'Any host is taken for one of amoCRM': {
      file: 'src/crm/amocrm/host.ts',
      change: [
        'return VENDOR_HOST.test(referer) || referer === emulatorHost(context) ? referer : null;',
        "return referer === '' ? null : referer;",
      ],
      failing: 'the host that amoCRM names',
    },
    'Secrets of amoCRM are taken as often as somebody posts them': {
      file: 'src/crm/store/oauthStates.ts',
      change: ['and secrets_at is null and completed_at is null', 'and completed_at is null'],
      failing: 'accepts the secrets once, and refuses a second or unknown post',
    },
    'amoCRM’s disconnect hook needs no signature': {
      file: 'src/crm/amocrm/signature.ts',
      change: [
        'actual.length === expected.length && timingSafeEqual(actual, expected)',
        'actual.length === expected.length && timingSafeEqual(actual, actual)',
      ],
      failing: 'ignores a wrong signature',
    },
    'amoCRM’s disconnect hook is not confirmed': {
      file: 'src/crm/disconnect.ts',
      change: ["if (answer.kind !== 'reconnect') {", "if (answer.kind === 'missing') {"],
      failing: 'changes nothing when replayed while the tokens are valid',
    },
  },
  'src/crm/ordinaryIntegration.test.ts': {
    'Secrets are taken for amoCRM’s ordinary flow': {
      file: 'src/crm/store/oauthStates.ts',
      change: ["and flow = 'external' and secrets_at", 'and secrets_at'],
      failing: 'accepts no posted secrets',
    },
  },
  'src/crm/twoProcesses.test.ts': {
    'Two refresh the tokens of amoCRM at once': {
      file: 'src/crm/store/tokens.ts',
      change: ['(refresh_claimed_until is null or refresh_claimed_until < clock_timestamp()', '(true'],
      failing: 'refresh once when both need new tokens',
    },
  },
  'src/crm/kill.test.ts': {
    'The dead hold up the tokens of amoCRM': {
      file: 'src/crm/store/tokens.ts',
      change: [
        'or not exists (select 1 from nodes n where n.instance_id = refresh_claimed_by and n.ended_at is null)',
        '',
      ],
      failing: 'reports lost tokens when killed before storing a new pair, and recovers by connecting again',
    },
  },
  'src/crm/tokens.test.ts': {
    'amoCRM is called at any pace': {
      file: 'src/crm/amocrm/call.ts',
      change: ['if (waitMs > 0) await pause(waitMs);', ''],
      failing: 'seven calls a second',
    },
  },
  'src/crm/hooks.test.ts': {
    'Another account’s hook of amoCRM is taken': {
      file: 'src/crm/amocrmRoutes.ts',
      change: ['changes.accounts.some((one) => one !== match.account_id)', 'changes.accounts.includes(-1)'],
      failing: 'ignores a webhook with an unknown secret',
    },
    'Hooks that amoCRM switched off stay off': {
      file: 'src/crm/amocrm/api.ts',
      change: [
        `          !each.disabled &&
`,
        '',
      ],
      failing: 'that amoCRM disabled after failures are registered again',
    },
  },
  'src/crm/races.test.ts': {
    'Our own write that comes back from amoCRM is somebody’s move': {
      file: 'src/crm/applyCard.ts',
      change: ['row.sent_status_id === card.statusId &&', 'row.sent_status_id === -1 &&'],
      failing: 'whose answer was lost',
    },
    'What amoCRM showed before a write counts after it': {
      file: 'src/crm/writeStage.ts',
      change: [
        'card: { ...card, updatedAt },\n    statusId: step,\n    readAt: await readRealClock(context.reader),',
        'card: updatedAt < 0 ? { ...card, updatedAt } : card,\n    statusId: step,\n    readAt,',
      ],
      failing: 'does not move a lead back by a read that began before our write',
    },
    'A move in amoCRM is lost under our write': {
      file: 'src/crm/writeStage.ts',
      change: [
        'if (current.pending_stage === null) return recordChanges',
        'if (current.lead_id === -1) return recordChanges',
      ],
      failing: 'makes lead and card agree when somebody moves the card during our write',
    },
    'Whoever moved last in amoCRM and here does not matter': {
      file: 'src/crm/applyCard.ts',
      change: ['(row.wished !== null && row.wished > card.updatedAt);', 'row.wished === -1;'],
      failing: "moves a card to the lead's stage when the lead moved later",
    },
  },
  'src/crm/mapping.test.ts': {
    'A step of amoCRM that several stages share means the first of them': {
      file: 'src/crm/mapping.ts',
      change: ['return matching.includes(current) ? current : (matching[0] ?? null);', 'return matching[0] ?? null;'],
      failing: 'maps back to the stage it was written for',
    },
  },
};
