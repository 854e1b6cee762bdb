/** Mutations of addresses: which numbers are stored, who is one person, and what is never written to. */
import type { MutationsByTest } from './mutation.ts';

export const ADDRESS_MUTATIONS: MutationsByTest = {
  'src/leads/address.test.ts': {
    'A number that is only possible is stored': {
      file: 'src/leads/phoneNumber.ts',
      change: ['phone.isValid() || isOfKnownShape(phone)', 'phone.isPossible()'],
      failing: 'is not written to first',
    },
    'A number with digits that nobody has written is stored': {
      file: 'src/leads/phoneNumber.ts',
      change: ['isNumber(phone) && isReadAsItself(phone, written)', 'isNumber(phone)'],
      failing: 'that the library would complete is refused',
    },
    'A stored number that keeps a trunk prefix is written to': {
      file: 'src/leads/address.ts',
      disabled: 'if (personKey(read.address) === personKey(address))',
      failing: 'that was stored under a national variant is written to',
    },
    "A vendor's digits are read again": {
      file: 'src/leads/address.ts',
      removed: 'if (digits !== undefined) return digits;',
      failing: 'keeps the digits from a vendor as they came',
    },
    'A text with two addresses is taken for one': {
      file: 'src/leads/address.ts',
      change: ['others.length > 0 || refused.length > 0', 'refused.length > 0'],
      failing: 'is one address only if it holds one',
    },
  },
  'src/proofs/corpus/corpus.test.ts': {
    'A local number is completed with digits that nobody has written': {
      file: 'src/leads/phoneNumber.ts',
      removed: 'number.length <= written.length + 1 && ',
      failing: 'gets the expected verdict for every case',
    },
    'Any kind and length of number vouches for a new range': {
      file: 'src/leads/phoneNumber.ts',
      change: ['isPersonal(read) && nationalNumber.length === mobileLengthOf(read.country)', 'read.isValid()'],
      failing: 'gets the expected verdict for every case',
    },
    'A number without a country code ignores the country of the number beside it': {
      file: 'src/leads/addressText.ts',
      change: ['phones.length < 2', 'phones.length > 0'],
      failing: 'gets the expected verdict for every case',
    },
    'A name of another network is taken for one of Telegram': {
      file: 'src/leads/addressText.ts',
      change: ["isOther ? [refuse('other_network', text)] : findInToken(text)", 'findInToken(text)'],
      failing: 'gets the expected verdict for every case',
    },
    'A first name is taken for a username': {
      file: 'src/leads/addressText.ts',
      change: ["mayBeName(name) ? refuse('maybe_a_name', name) : ", ''],
      failing: 'gets the expected verdict for every case',
    },
    'Hidden digits are left out of a number': {
      file: 'src/leads/addressText.ts',
      disabled: 'if (refusal !== null)',
      failing: 'gets the expected verdict for every case',
    },
    'Two endings of a number become one number': {
      file: 'src/leads/addressText.ts',
      change: ["isOne ? [refuse('unclear', text)] : [other]", '[other]'],
      failing: 'gets the expected verdict for every case',
    },
  },
  'src/leads/persons.test.ts': {
    'The database knows other variants than the program': {
      file: 'migrations/functions/person_key.sql',
      removed: "    when address ~ '^521[0-9]{10}$' then '52' || right(address, 10)\n",
      failing: 'has the same key in the database',
    },
    'A reply from the other form of a number makes a second lead': {
      file: 'src/conversations/store/chats.ts',
      change: [
        'where person_key(c.address) = any(${addresses.map(personKey)}::text[]) and c.contact_type = ${type}\n       and not',
        'where c.address = ${addresses[0]} and c.contact_type = ${type}\n       and not',
      ],
      failing: 'is found when the other form writes',
    },
    'A person is imported again under another form': {
      file: 'src/leads/store/import.ts',
      change: ['person_key(c.address) = any(${addresses.map(personKey)}', 'c.address = any(${[...addresses]}'],
      failing: 'is imported once',
    },
    'A deleted person is imported again under another form': {
      file: 'src/leads/store/suppressedAddresses.ts',
      change: ['addressVariants(address).map', '[address].map'],
      failing: 'is not imported again after the person was deleted',
    },
    'A person opts out under one form of the number only': {
      file: 'src/leads/store/identities.ts',
      change: [
        'person_key(c.address) = any(${mine.addresses.map(personKey)}::text[])',
        'c.address = any(${[...mine.addresses]}::text[])',
      ],
      failing: 'opts out as all leads of the person',
    },
    'Each number of a cell becomes the main contact': {
      file: 'src/leads/store/import.ts',
      change: ['lead.contacts.find(({ type }) => type === one.type) === one', 'true'],
      failing: 'becomes the main contact and another one',
    },
  },
  'src/outreach/invalidAddress.test.ts': {
    'The plan writes to a number that is not valid': {
      file: 'src/outreach/store/facts.ts',
      change: ['isWaiting ? storedNumberRefusal(one.address) : null', 'null'],
      failing: 'and is listed by the reason',
    },
    'A follow-up goes to a number that is not valid': {
      file: 'src/outreach/plan.ts',
      disabled: 'if (dialogue.anchor === 0 && dialogue.addressRefusal)',
      failing: 'gets no follow-up, planned or scheduled',
    },
    'A lead with a number that is not valid is written to by hand': {
      file: 'src/conversations/openDialogue.ts',
      disabled: 'if (refusal !== null && !(await hasWritten(tx, id)))',
      failing: 'gets no new dialogue by hand',
    },
    'A person gets a first message at each form of the number': {
      file: 'src/outreach/store/facts.ts',
      change: [
        'person_key(f.address) = person_key(k.address) and not f.is_repeat',
        'f.address = k.address and not f.is_repeat',
      ],
      failing: 'gets one first message as two leads',
    },
  },
  'src/outreach/decideFirstMessages.test.ts': {
    'A first message is claimed to a number that is not valid': {
      file: 'src/outreach/plan.ts',
      change: ['remaining.filter((one) => !one.addressRefusal)', 'remaining'],
      failing: 'gets nothing at a number that is not valid',
    },
    'A batch has two first messages to the forms of one number': {
      change: ['persons.add(personKey(address))', 'persons.add(address)'],
      failing: 'gets one message for two leads with national variants of one number',
    },
  },
  'src/outbox/decideSend.test.ts': {
    'A message that waits leaves for a number that is not valid': {
      disabled: 'if (isUnsolicited && due.addressRefusal)',
      failing: 'is cancelled if nobody asked for it and the number is not valid',
    },
  },
};
