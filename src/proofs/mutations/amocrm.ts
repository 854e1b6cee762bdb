/** Mutations of reading an amoCRM account: what is edited meanwhile, and what cannot be read. */
import type { MutationsByTest } from './mutation.ts';

export const AMOCRM_MUTATIONS: MutationsByTest = {
  'src/crm/amocrm/readEveryCard.test.ts': {
    'A card edited while its page is put together moves the cursor past others': {
      change: ['const TAIL = 10;', 'const TAIL = 1;'],
      failing: 'loses none: edits',
    },
    'Cards changed within one second are read as far as the first page': {
      change: ['reached === cursor) {', 'false) {'],
      failing: 'imported in one second',
    },
    'A second is only read forwards': {
      change: ['page > 0; page--', 'false; page--'],
      failing: 'imported in one second',
    },
    'A list that is not by time is believed': {
      change: ['|| reached < cursor', ''],
      failing: 'reports a list that is not by time',
    },
  },
  'src/crm/skipped.test.ts': {
    'An unreadable card is not named': {
      file: 'src/crm/syncCards.ts',
      removed: 'await recordSkipped(context.reader, id, skips);',
      failing: 'is named with its reason and its link',
    },
    'What was skipped is not tried again': {
      file: 'src/crm/amocrmRoutes.ts',
      removed: 'await retrySkipped(tx, params.id);',
      failing: 'is named; its card is imported, and gets the address later',
    },
    'A card whose contacts are refused stops the account': {
      file: 'src/crm/syncCards.ts',
      change: ['![401, 402, 403].includes(failed.status)', 'false'],
      failing: 'is left out too if its contacts are refused',
    },
    'A card that cannot be saved stops the account': {
      file: 'src/crm/applyCard.ts',
      change: ['if (isUnavailable(error) || isTooSlow(error)) throw error;', 'throw error;'],
      failing: 'does not stop the others when it cannot be saved',
    },
    'A card that is only an id is not taken for deleted': {
      file: 'src/crm/amocrm/shapes.ts',
      change: ["if (deleted.success) return { kind: 'deleted', id: deleted.data.id };", ''],
      failing: 'takes a card of which only the id is left for deleted',
    },
    'A time in the future is believed': {
      file: 'src/crm/store/accounts.ts',
      change: ['least(${cursor}::bigint, floor(extract(epoch from domain_now()))::bigint)', '${cursor}::bigint'],
      failing: 'believes no time in the future',
    },
    'Refused numbers stay when their lead is removed': {
      file: 'migrations/functions/clear_refused_addresses.sql',
      change: ['new.refused_addresses := null;', ''],
      failing: 'go with their lead',
    },
    'Every change of a card adds addresses again that somebody removed': {
      file: 'src/crm/applyCard.ts',
      change: ['row.lead_id !== null && (!row.has_contacts || row.reread_addresses)', 'row.lead_id !== null'],
      failing: 'those corrected are added when somebody asks',
    },
  },
  'src/crm/leadFromCard.test.ts': {
    'A fax is written to before a phone': {
      change: ["kind === 'FAX' ? 2 : 1", '1'],
      failing: 'several phones',
    },
    'Fields of the main contact are shown for another one': {
      change: ['.person ?? crmContacts[0]', '.person && crmContacts[0]'],
      failing: 'are those of the contact that is written to',
    },
  },
  'src/proofs/corpus/corpus.test.ts': {
    'One odd field loses all fields of a card': {
      file: 'src/crm/amocrm/shapes.ts',
      change: ['return parsed.success ? [parsed.data] : [];', 'return [item.parse(one)];'],
      failing: 'gets the expected verdict for every case',
    },
    'A lead has the name of one contact and the number of another': {
      file: 'src/crm/leadFromCard.ts',
      change: ['person === null ? nameWithoutAddresses', 'true ? nameWithoutAddresses'],
      failing: 'gets the expected verdict for every case',
    },
    'An emoji is cut in two': {
      file: 'src/crm/leadFromCard.ts',
      change: [".replace(/[\\ud800-\\udbff]$/, '')", ''],
      failing: 'gets the expected verdict for every case',
    },
  },
};
