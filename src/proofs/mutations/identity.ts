/** Mutations of whose chat a message belongs to, and of chats that are no person's. */
import type { MutationsByTest } from './mutation.ts';

export const IDENTITY_MUTATIONS: MutationsByTest = {
  'src/inbox/identity.test.ts': {
    'A contact is taken for the account that has the address now, though known from another channel': {
      file: 'src/conversations/store/chats.ts',
      change: ['join channels h on h.id = ${channelId} and h.vendor = o.vendor', 'join channels h on false'],
      failing: 'knows from another channel that the account is another one',
    },
    'A number leads to the account that had it before': {
      file: 'src/conversations/dialogueOfChat.ts',
      change: ['isOwn: accountIdKind(type, id) !== null || !isOtherAccount(type, ids, holder.chats)', 'isOwn: true'],
      failing: 'is another lead when the number belongs to another account now',
    },
    'A stranger shares the address of whoever had it before': {
      file: 'src/inbox/receive.ts',
      change: ['previous.length > 0 ? `id:${chat.chatId}` : ownAddress', 'ownAddress'],
      failing: 'does the same for ChatPush',
    },
    'Answers go to the first id of a chat': {
      file: 'src/conversations/findOrCreateDialogue.ts',
      change: ["evidence === 'message' ? chat.chatId : null", 'null'],
      failing: 'Brazil, without the 9',
    },
    'A national variant of a number is a stranger': {
      file: 'src/inbox/ingest.ts',
      change: ['(one ? addressesOf(one) : [])', '(one ? addressesOf(one).slice(0, 1) : [])'],
      failing: 'Brazil, without the 9',
    },
    'A story becomes a lead': {
      file: 'src/inbox/decideInbound.ts',
      removed: 'if (notPerson) return notPerson;',
      failing: 'a chat that is not one person',
    },
    'A login code is stored': {
      file: 'src/inbox/ingest.ts',
      change: ["item.notPerson === 'service' ? { text: '' } : {}", '{}'],
      failing: "keeps nothing of a code from Telegram's account",
    },
    'Another company sees what was ignored on a channel that it shares': {
      file: 'src/inbox/store/ignored.ts',
      change: ['h.company_id = any(', 'h.company_id <> all('],
      failing: 'is not shown to another company that the channel is shared with',
    },
  },
  'src/outreach/answerUnderOtherId.test.ts': {
    'A status does not tell under which id a chat is known': {
      file: 'src/inbox/store/reports.ts',
      removed: "\n              or (i.chat_id is not null and i.item->>'notPerson' is null and not ${IS_CHAT_KNOWN})",
      failing: 'ends the sequence',
    },
    'A follow-up is sent although the person has answered in another dialogue': {
      file: 'src/outreach/store/facts.ts',
      change: [
        "from dialogues o where o.id in (${sql.raw(dialoguesOfSamePerson('l.id'))})",
        'from dialogues o where false',
      ],
      failing: 'proposes that both are one person, and holds the sequence until somebody decides',
    },
    'Whoever is one person opts out as one lead only': {
      file: 'src/conversations/linkRoutes.ts',
      change: ["state === 'accepted' && before.kind === 'same_person'", 'false'],
      failing: 'opts out as both once an operator has said that they are one person',
    },
  },
  'src/proofs/corpus/corpus.test.ts': {
    'A person under an id of an unknown form is ignored although the phone is named': {
      file: 'src/channels/chats.ts',
      change: ['isPerson ? null : reason', 'reason'],
      failing: 'gets the expected verdict for every case',
    },
  },
};
