/** Mutations of the ledger of outcomes, of the arms that are counted, and of notices. */
import type { MutationsByTest } from './mutation.ts';

const EXPERIMENT_END = 'lets operators and other systems know when it ends, until somebody has applied an arm';
const ARM_COUNTS = 'by arm add up, and each row opens what it counts';

export const OUTCOME_MUTATIONS: MutationsByTest = {
  'src/outcomes/ledger.test.ts': {
    'A message is numbered before the count that runs has committed': {
      file: 'migrations/functions/stamp_message.sql',
      removed: '    perform from leads where id = lead.id for key share;',
      failing: 'begins another attempt for a lead who comes back while it is counted',
    },
    'A run is numbered before the count that runs has committed': {
      file: 'migrations/functions/count_runs.sql',
      removed: '    perform from leads where id in (select lead_id from new_runs) order by id for key share;',
      failing: 'has the run of a lead who came back, stored while it is counted, in the last attempt',
    },
    'A message of a later attempt keeps the number of the first': {
      file: 'migrations/functions/count_exchanged.sql',
      removed:
        '    update messages m set attempt = a.attempt from unnest(again, stamps) as a (id, attempt) where m.id = a.id;',
      failing: 'of many rows, written by several connections at the same time, is that of a recount',
    },
    'The source of a later attempt is not that of the first': {
      file: 'migrations/functions/count_exchanged.sql',
      change: [' and g.attempt = 1 and not o.is_stale', ' and not o.is_stale'],
      failing: 'has the source of the first one, though we have begun it',
    },
    'A message that a recount has counted is added once more': {
      file: 'migrations/functions/count_message.sql',
      removed: '  if (before.last_at, before.last_message_id) = (at, m.id) then return; end if;',
      failing: 'of many rows, written by several connections at the same time, is that of a recount',
    },
    'A reading is compared with what a recount is about to replace': {
      file: 'migrations/functions/count_messages.sql',
      removed: ' for key share of o',
      failing: 'has a reading that arrives while the only other message that was read is removed',
    },
    'An event is numbered before the count that runs has committed': {
      file: 'migrations/functions/stamp_event.sql',
      removed: '    perform from leads where id = new.lead_id for key share;',
      failing: 'has the event of a lead who came back, stored while it is counted, in the last attempt',
    },
    'What an attempt has reached is not kept as bits': {
      file: 'migrations/functions/classify_outcome.sql',
      change: ['(new.answered_at is not null)::int * 8', '0'],
      failing: 'tells what was written, delivered, read and answered',
    },
  },
  'src/outcomes/experiments.test.ts': {
    'Nobody is notified when an experiment ends by itself': {
      file: 'src/outcomes/endExperiment.ts',
      disabled: 'if (by === null)',
      failing: EXPERIMENT_END,
    },
    'The notice of an experiment stays when an arm was applied': {
      file: 'src/desk/alerts/store/alerts.ts',
      change: [
        'set ended_at = clock_timestamp(), planned_at = null\n     where notice_key',
        'set planned_at = null\n     where notice_key',
      ],
      failing: EXPERIMENT_END,
    },
  },
  'src/outcomes/outcomes.test.ts': {
    'An attempt whose assignment is excluded counts for its arm': {
      file: 'src/outcomes/store/experimentConditions.ts',
      change: [' and x.arm is not null and x.excluded is null', ' and x.arm is not null'],
      failing: ARM_COUNTS,
    },
    'The row of an arm opens the attempts of all arms': {
      file: 'src/outcomes/dimensions.ts',
      change: [
        'filter: { experiment_id: [Number(id)], arm: [Number(place)] }',
        'filter: { experiment_id: [Number(id)] }',
      ],
      failing: ARM_COUNTS,
    },
  },
};
