/** Mutations of dialogues, sending, budgets and classification. */
import type { MutationsByTest } from './mutation.ts';

export const CORE_MUTATIONS: MutationsByTest = {
  'src/outbox/hangs.test.ts': {
    'A job that waits for a model keeps its slot': {
      file: 'src/jobs/runner.ts',
      change: ['if (!task.concurrencyKey) return runObserved', 'if (task.name) return runObserved'],
      failing: 'hundreds of dialogues wait',
    },
  },
  'src/studio/brokenStreams.test.ts': {
    'A broken stream stays open': {
      file: 'src/llm/modelAttempt.ts',
      change: ['    timeout.abort();\n  }\n}', '  }\n}'],
      failing: 'ends each broken stream in an error or a whole answer, without leaking memory',
    },
  },
  'src/outbox/deliver.test.ts': {
    'Each attempt to send has its own key': {
      file: 'src/channels/wazzup24/driver.ts',
      change: ['crmMessageId: request.key,', 'crmMessageId: crypto.randomUUID(),'],
      failing: '5xx after accepting',
    },
    'A temporary refusal is final although an earlier attempt may have arrived': {
      change: ['maybeDelivered ? asUnknownIfPassing(vendorOutcome) : vendorOutcome', 'vendorOutcome'],
      failing: 'repeats an uncertain send after 429 until the vendor reports its status',
    },
  },
  'src/inbox/receive.test.ts': {
    'An event that a vendor repeats is stored twice': {
      file: 'migrations/0008_dialogues.sql',
      change: ['unique (account_id, kind, ext_id, status)', "check (kind <> '')"],
      failing: 'has one effect when delivered twenty times at once',
    },
  },
  'src/inbox/statuses.test.ts': {
    'The last status wins instead of the highest': {
      file: 'src/inbox/store/deliveryReports.ts',
      change: ['else 9 end < ${rank}', 'else 9 end <> ${rank}'],
      failing: 'statuses only climb',
    },
  },
  'src/conversations/reply.test.ts': {
    'A message is claimed although an operator owns the dialogue': {
      file: 'src/leads/lead.ts',
      disabled: "if (owner === 'human') return",
      failing: 'the dialogue is handed over',
    },
    'A message is claimed although the lead has written again': {
      file: 'src/outbox/blockReasons.ts',
      change: ['message.turn !== null && message.turn !== turn;', 'message.turn === -1;'],
      failing: 'a newer turn has begun',
    },
  },
  'src/app.test.ts': {
    'Requests of foreign pages are accepted': {
      file: 'src/platform/http/authorize.ts',
      disabled: 'if (!isOurOrigin(origin)) throw',
      failing: 'a request from a foreign page',
    },
    'Ids of other companies are accepted': {
      file: 'src/platform/http/server.ts',
      disabled: 'if (inaccessible) throw',
      failing: 'a member of another company',
    },
  },
  'src/inbox/ingest.test.ts': {
    'A hook is acknowledged before it is committed': {
      change: ['await write(hook).catch(', '(void write(hook), []);\n  void Promise.resolve().catch('],
      failing: 'is acknowledged only after the commit',
    },
  },
  'src/inbox/statusRace.test.ts': {
    'A status does not wait for the answer to its send': {
      file: 'src/inbox/store/items.ts',
      change: ['pg_advisory_xact_lock(hashtextextended(${extId}', '(hashtextextended(${extId}'],
      failing: 'applies a status after the answer to its send',
    },
  },
  'src/platform/batchWrites.test.ts': {
    'One hook that cannot be stored fails its whole batch': {
      change: ['if (batch.length === 1 || isFatal(error)) for', 'if (batch.length > 0) for'],
      failing: 'writes the rest of a batch when one item is refused',
    },
  },
  'src/conversations/classifyTurn.test.ts': {
    'A classification applies although an operator has taken over': {
      change: ['await blockReason(tx, { dialogue, lead, classifiedTurn: row.turn })', 'null'],
      failing: 'moves nothing after a hand-over',
    },
  },
  'src/outreach/sendFirstMessages.test.ts': {
    'First messages of a product are claimed concurrently': {
      removed: 'await lockQueue(tx, productId);',
      failing: 'keeps the interval to one that another worker claims at the same time',
    },
  },
  'src/outreach/workingHours.test.ts': {
    'Working hours end a minute late': {
      change: ['minute < window.end', 'minute <= window.end'],
      failing: 'minute-by-minute search',
    },
  },
  'src/outreach/plan.test.ts': {
    'The plan ignores the interval': {
      removed: 'if (spacing > 0) freeAt = now + spacing;',
      failing: 'decides no more first messages than limits, warm-up and interval allow',
    },
  },
  'src/crm/oauth.test.ts': {
    'Any host is accepted as one of amoCRM': {
      file: 'src/crm/amocrm/host.ts',
      change: ['VENDOR_HOST.test(referer) || referer === emulatorHost(context)', "referer !== ''"],
      failing: 'the host that amoCRM names',
    },
    "amoCRM's secrets are accepted more than once": {
      file: 'src/crm/store/oauthStates.ts',
      removed: 'secrets_at is null and ',
      failing: 'accepts the secrets once, and refuses a second or unknown post',
    },
    "amoCRM's disconnect hook needs no signature": {
      file: 'src/crm/amocrm/signature.ts',
      change: ['timingSafeEqual(actual, expected)', 'timingSafeEqual(actual, actual)'],
      failing: 'ignores a wrong signature',
    },
    "amoCRM's disconnect hook is not verified": {
      file: 'src/crm/disconnect.ts',
      disabled: "if (answer.kind !== 'reconnect') {",
      failing: 'changes nothing when replayed while the tokens are valid',
    },
  },
  'src/crm/ordinaryIntegration.test.ts': {
    "Secrets are accepted for amoCRM's ordinary flow": {
      file: 'src/crm/store/oauthStates.ts',
      removed: " flow = 'external' and",
      failing: 'accepts no posted secrets',
    },
  },
  'src/crm/twoProcesses.test.ts': {
    "Two processes refresh amoCRM's tokens at once": {
      file: 'src/crm/store/tokens.ts',
      change: ['(refresh_claimed_until is null or refresh_claimed_until < clock_timestamp()', '(true'],
      failing: 'refresh once when both need new tokens',
    },
  },
  'src/crm/kill.test.ts': {
    "A dead process keeps its claim on amoCRM's tokens": {
      file: 'src/crm/store/tokens.ts',
      removed: 'or not exists (select 1 from nodes n where n.instance_id = refresh_claimed_by and n.ended_at is null)',
      failing: 'reports lost tokens when killed before storing a new pair, and recovers by connecting again',
    },
  },
  'src/crm/tokens.test.ts': {
    'amoCRM is called without a rate limit': {
      file: 'src/crm/amocrm/call.ts',
      removed: 'if (waitMs > 0) await pause(waitMs);',
      failing: 'seven calls a second',
    },
  },
  'src/crm/hooks.test.ts': {
    'A hook of another amoCRM account is accepted': {
      file: 'src/crm/amocrmRoutes.ts',
      change: ['changes.accounts.some((one) => one !== match.account_id)', 'changes.accounts.includes(-1)'],
      failing: 'ignores a webhook with an unknown secret',
    },
    'Hooks that amoCRM disabled stay disabled': {
      file: 'src/crm/amocrm/api.ts',
      removed: '!each.disabled &&',
      failing: 'that amoCRM disabled after failures are registered again',
    },
  },
  'src/crm/races.test.ts': {
    "Our own write that amoCRM reports counts as a person's move": {
      file: 'src/crm/applyCard.ts',
      change: ['row.sent_status_id === card.statusId &&', 'row.sent_status_id === -1 &&'],
      failing: 'whose answer was lost',
    },
    'A card that was read before our write overwrites it': {
      file: 'src/crm/writeStage.ts',
      change: [
        'card: { ...card, updatedAt },\n    statusId: step,\n    readAt: await readRealClock(context.reader),',
        'card: updatedAt < 0 ? { ...card, updatedAt } : card,\n    statusId: step,\n    readAt,',
      ],
      failing: 'does not move a lead back by a read that began before our write',
    },
    'A move in amoCRM is lost under our write': {
      file: 'src/crm/writeStage.ts',
      disabled: 'if (current.pending_stage === null) return recordChanges',
      failing: 'makes lead and card agree when somebody moves the card during our write',
    },
    'The later of two moves, in amoCRM and here, does not win': {
      file: 'src/crm/applyCard.ts',
      change: ['(row.wished !== null && row.wished > card.updatedAt);', 'row.wished === -1;'],
      failing: "moves a card to the lead's stage when the lead moved later",
    },
  },
  'src/crm/mapping.test.ts': {
    'A step of amoCRM that several stages share means the first of them': {
      change: ['return matching.includes(current) ? current : (matching[0] ?? null);', 'return matching[0] ?? null;'],
      failing: 'maps back to the stage it was written for',
    },
  },
};
