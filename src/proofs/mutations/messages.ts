/** Mutations of what a message is: kinds, edits, deletions, polite ends and other programs. */
import type { MutationsByTest } from './mutation.ts';

export const MESSAGE_MUTATIONS: MutationsByTest = {
  'src/inbox/changes.test.ts': {
    'An edit that asks to stop is only shown': {
      file: 'src/inbox/decideChange.ts',
      disabled: "if (wish === 'certain')",
      failing: 'stops everything if it asks to stop, however old the message is',
    },
    'A corrected typing error is answered twice': {
      file: 'src/inbox/decideChange.ts',
      disabled: 'if (!changesMeaning(message.message, changed.message))',
      failing: 'is not answered again if it corrects',
    },
    'An edit of an earlier message is answered': {
      file: 'src/inbox/decideChange.ts',
      disabled: 'if (message.is_answered && !message.is_last)',
      failing: 'is not answered again if the lead has written since',
    },
    'An older edit replaces a newer one': {
      file: 'src/inbox/decideChange.ts',
      disabled: 'if (isOvertaken(change, message))',
      failing: 'have one effect, however often and in whatever order they arrive',
    },
    'A deleted message is answered': {
      file: 'src/inbox/decideChange.ts',
      change: [": { kind: 'void', quiet: 'deleted' };", ": { kind: 'none' };"],
      failing: 'is not answered, and the dialogue says why',
    },
    'A model answers the words before an edit': {
      file: 'src/conversations/store/messages.ts',
      change: ['coalesce(restated_at, thread_at) as thread_at', 'thread_at'],
      failing: 'is answered again if it says something else, and the model reads it last',
    },
    'Models read deleted messages': {
      file: 'src/conversations/store/messages.ts',
      change: ['and deleted_at is null and status', 'and status'],
      failing: 'leaves the others to be answered, without its words',
    },
    'An edit that comes before its message is lost': {
      file: 'src/inbox/receiveChange.ts',
      change: [
        'if (!found) return waitForMessage(tx, row, item);',
        "if (!found) return markProcessed(tx, row.id, 'overtaken');",
      ],
      failing: 'wait for their message',
    },
    'Anybody can edit what another person wrote': {
      file: 'src/inbox/receiveChange.ts',
      change: ["item.isOurs !== (found.side === 'bot')", 'item.isOurs === null'],
      failing: "of another person's message change nothing",
    },
    'Follow-ups go out after an edit': {
      file: 'src/engine/rules/turn.ts',
      change: ['Math.max(dialogue.last_user_msg_at ?? event.at, event.at)', 'dialogue.last_user_msg_at'],
      failing: 'stops follow-ups',
    },
  },
  'src/studio/simulate/talk.test.ts': {
    'A simulated lead falls silent after a thank-you': {
      disabled: 'else if (this.#lead.dialogue?.state.turn_due_at === null)',
      failing: 'goes on after words that need no answer, which get none',
    },
  },
  'src/inbox/meanings.test.ts': {
    "'Ok, thanks' is answered": {
      file: 'src/conversations/inboundMeaning.ts',
      disabled: 'if (ends && !haveAsked(recent))',
      failing: 'ends a turn without an answer, and the dialogue says why',
    },
    "An 'ok' to our question is not answered": {
      file: 'src/conversations/inboundMeaning.ts',
      change: ['if (ends && !haveAsked(recent))', 'if (ends)'],
      failing: 'is an answer if we have asked something, in any part of what we wrote last',
    },
    'The first words of a lead are not answered': {
      file: 'src/conversations/inboundMeaning.ts',
      removed: 'hasWrittenBefore(recent) && ',
      failing: "is answered if it is the lead's first message",
    },
    'Another program is answered without end': {
      file: 'src/conversations/inboundMeaning.ts',
      change: ["isRobot({ kind, text, at }, recent) ? { kind: 'robot' } : { kind: 'turn' }", "{ kind: 'turn' }"],
      failing: 'is answered a few times, and then a human is told',
    },
    'A message without words is dropped': {
      file: 'src/inbox/ingest.ts',
      change: ["(mediaUrl ? 'document' : 'empty')", "(mediaUrl ? 'document' : 'text')"],
      failing: 'is stored, shown, ends a sequence, and is answered or seen by people as it needs',
    },
    'A thank-you after the deal calls people': {
      file: 'src/inbox/decideInbound.ts',
      removed: ' && !isQuiet',
      failing: 'calls nobody after the deal',
    },
    'A closing is answered when a human gives the dialogue back': {
      file: 'src/conversations/store/handBack.ts',
      removed: ' and not m.is_sign',
      failing: 'is not answered when a human gives the dialogue back',
    },
  },
  'src/proofs/corpus/corpus.test.ts': {
    'Words that begin alike are one with typing errors': {
      file: 'src/conversations/changedText.ts',
      removed: 'if (errors === 0) return false;',
      failing: 'gets the expected verdict for every case',
    },
  },
};
