/** Mutations of claims, locks and sweeps. */
import type { MutationsByTest } from './mutation.ts';

export const CLAIM_MUTATIONS: MutationsByTest = {
  'src/outbox/hangs.test.ts': {
    'Work that waits for a model delays that of others': {
      file: 'src/jobs/sweepDue.ts',
      change: ['start(queue, name,', "start('all', name,"],
      failing: 'for more turns than jobs may run',
    },
  },
  'src/platform/lease.test.ts': {
    'A claim that nobody renews holds for as long as its instance lives': {
      change: ['${until} <= clock_timestamp()\n', 'false\n'],
      failing: 'holds until its end, unless it is released or its instance ends',
    },
    'A claim of a dead instance holds until its end': {
      removed: '\n    or not exists (select 1 from nodes n where n.instance_id = ${by} and n.ended_at is null)',
      failing: 'holds until its end, unless it is released or its instance ends',
    },
    'A claim that another instance has taken over is renewed': {
      change: ['if (!ours.has(index)) one.lost.abort();', 'if (ours.size < 0) one.lost.abort();'],
      failing: 'is renewed while work goes on, and lost to another instance',
    },
  },
  'src/jobs/instances.test.ts': {
    'Claims are not renewed': {
      file: 'src/jobs/joinInstances.ts',
      change: ['context.claims\n        .renew()', 'Promise.resolve()'],
      failing: 'keeps a turn claimed longer than its lease while its instance lives',
    },
  },
  'src/jobs/sweeps.test.ts': {
    'The next message of a dialogue waits for the poll': {
      file: 'src/outbox/settle.ts',
      removed: ' || byMessage.get(message.id)?.hasScheduled',
      failing: 'sends the next message of a dialogue when the one before it has left',
    },
    'A turn waits for the poll': {
      file: 'src/inbox/receive.ts',
      change: ['if (seconds !== null) wakeSweep', 'if (seconds === 0) wakeSweep'],
      failing: 'answers when the wait for further messages of the lead ends',
    },
    'A known instant waits for the poll': {
      change: ['if (inMs !== null) polled', 'if (inMs !== null && inMs <= 0) polled'],
      failing: 'runs a sweep at an instant that comes before the next poll',
    },
    'A poll that fails hides due work': {
      change: ["'the poll for due work failed');\n      wakeAll(loops);", "'the poll for due work failed');"],
      failing: 'lets every sweep look for itself when the poll fails',
    },
  },
  'src/jobs/sweepDue.test.ts': {
    'Work starts again while it runs': {
      change: ['if (!isStarted(name)) start', 'start'],
      failing: 'starts work that is due, but not beside the same work that waits or runs',
    },
    'Work counts as started only while it waits': {
      file: 'src/jobs/keyedConcurrency.ts',
      removed: ' || running.values().some((one) => one === key)',
      failing: 'starts work that is due, but not beside the same work that waits or runs',
    },
    'A failure of the database defers what it interrupted': {
      file: 'src/jobs/deferFailed.ts',
      removed: '!isUnavailable(error) && ',
      failing: 'defers work that fails, but not when the database failed',
    },
  },
  'src/conversations/propagateOptOut.test.ts': {
    'Two instances pass on one opt-out at once': {
      file: 'src/conversations/store/optOutPropagations.ts',
      removed: " and ${isUnclaimed('p')}",
      failing: 'is passed on by one instance at a time',
    },
    'What was requested meanwhile is forgotten': {
      file: 'src/conversations/store/optOutPropagations.ts',
      change: [
        'delete from opt_out_propagations where lead_id = ${leadId} and request_count = ${count}',
        'delete from opt_out_propagations where lead_id = ${leadId} and request_count >= ${count}',
      ],
      failing: 'is passed on again when that was requested meanwhile',
    },
  },
  'src/conversations/classifyTurn.test.ts': {
    'A result that cannot be stored is paid for each second': {
      file: 'src/jobs/deferFailed.ts',
      disabled: 'if (!isUnavailable(error) && !isTooSlow(error))',
      failing: 'is tried again with growing pauses when its result cannot be stored',
    },
  },
  'src/conversations/propagateOptOutKill.test.ts': {
    'An opt-out is taken for passed on before the other leads have followed': {
      file: 'src/conversations/propagateOptOut.ts',
      change: [
        "failpoint('optOut.afterClaim');",
        "await endPropagation(context.reader, row);\n  failpoint('optOut.afterClaim');",
      ],
      failing: 'has every other lead of the person follow once when killed anywhere',
    },
  },
  'src/platform/postgres/upgrade.test.ts': {
    'What jobs of the version before were to do is lost': {
      file: 'migrations/functions/adopt_job.sql',
      change: ["if task = 'opt_out.others' then", "if task = 'none' then"],
      failing: 'keeps the opt-outs that jobs of the version before were to pass on',
    },
    'What only jobs of a backup knew is lost': {
      file: 'src/platform/postgres/restore.ts',
      removed: '    await formerJobs.adopt();\n',
      failing: 'with the work of its jobs',
    },
  },
  'src/inbox/reportOrder.test.ts': {
    'Reports that are received together lock their messages in any order': {
      file: 'src/inbox/receive.ts',
      disabled: 'if (others.length > 1)',
      failing: 'locks their messages in the order of the ids',
    },
  },
  'src/outbox/reclaim.test.ts': {
    'One lead that is being changed holds up all messages of a dead instance': {
      change: ['skipsLocked: true', 'skipsLocked: false'],
      failing: 'sends again what a dead instance has left, but for a lead that is being changed',
    },
    'What a dead instance has left is sent under a key that the vendor has forgotten': {
      change: ['isRepeatable && !isTooLate(driverOf(dialogueContext.vendor), keyAgeMs)', 'isRepeatable'],
      failing: 'sends nothing again whose key the vendor has forgotten',
    },
    'One message that cannot be reclaimed holds up all others': {
      change: ['if (isUnavailable(error) || isTooSlow(error)) throw error;', 'throw error;'],
      failing: 'sends the others when one of them cannot be reclaimed',
    },
  },
  'src/outbox/withhold.test.ts': {
    'Messages claimed together are all refused with the first': {
      file: 'src/outbox/send.ts',
      disabled: 'if (refusal !== null) return',
      failing: 'withholds what was claimed together with a message that is refused for the whole channel',
    },
    'What a channel refused once is withheld without end': {
      change: ['one && claimedBefore < one.until', 'one !== undefined'],
      failing: 'withholds what was claimed together with a message that is refused for the whole channel',
    },
  },
  'src/outbox/claimedMessages.test.ts': {
    'An instance that was cut off sends a message that another has reclaimed': {
      file: 'src/outbox/send.ts',
      disabled: "if (claimState?.status === 'sending' && claimState.claimed_by !== context.instanceId) return;",
      failing: 'lets the reclaiming instance send a message, not the one that returns',
    },
    'A send is repeated under a key that the vendor may have forgotten': {
      file: 'src/outbox/send.ts',
      change: ['(maybeDelivered || repeat > 0) &&', 'repeat < 0 &&'],
      failing: "does not repeat a send after the vendor's idempotency window",
    },
  },
};
