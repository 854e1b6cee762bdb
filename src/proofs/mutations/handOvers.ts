/** Mutations of the bot's hand-over to people, and of what follows: its summary, and its note and task in the CRM. */
import type { MutationsByTest } from './mutation.ts';

const STORE = 'src/crm/store/handOvers.ts';

export const HAND_OVER_MUTATIONS: MutationsByTest = {
  'src/conversations/handOver.test.ts': {
    'A model hands over for a reason that does not exist': {
      file: 'src/conversations/humanRequest.ts',
      disabled: 'if (!humanRequestInput.safeParse(input).success) throw',
      failing: 'is refused without a reason that exists',
    },
    'A model hands over although the product says no': {
      file: 'src/conversations/store/turns.ts',
      change: ['p.hand_over and not exists (', 'not exists ('],
      failing: 'is not offered if the product says so',
    },
    'A turn that was given back to the bot is handed over again': {
      file: 'src/conversations/store/turns.ts',
      removed: ' and not exists (select from hand_overs h where h.dialogue_id = d.id and h.turn = d.turn)',
      failing: 'nor for a turn that was given back to the bot',
    },
    'What a model says beside its request for a human is sent': {
      file: 'src/conversations/runPrompt.ts',
      disabled: 'if (request) return {',
      failing: 'sends nothing of what',
    },
    'The sentence of a hand-over waits on though an operator has written': {
      file: 'src/conversations/ownership.ts',
      change: ['dropHandOverTexts(tx, [dialogueId], ', 'dropHandOverTexts(tx, [], '],
      failing: 'is cancelled when an operator writes',
    },
    'The sentence of a hand-over waits on though an operator has taken over': {
      file: 'src/conversations/ownership.ts',
      disabled: "if (owner === 'human' && dialogue.owner === 'human')",
      failing: 'an operator takes over',
    },
    'The sentence of a hand-over waits on though the bot has the dialogue back': {
      file: 'src/conversations/ownership.ts',
      removed: "  await dropHandOverTexts(tx, [id], 'The bot has the dialogue back');\n",
      failing: 'the bot gets the dialogue back',
    },
  },
  'src/outbox/decideSend.test.ts': {
    'The sentence of a hand-over leaves after a person has seen to the dialogue': {
      change: ['isHandOverOpen && isBotHandOver', 'isBotHandOver'],
      failing: 'cancels it when a person has seen to the dialogue',
    },
    'The sentence of a hand-over leaves though an operator has taken over': {
      change: ['isHandOverOpen && isBotHandOver(ownerReason)', 'isHandOverOpen'],
      failing: 'cancels it when an operator has taken over',
    },
    'The sentence of a hand-over leaves though the bot is back': {
      change: ["const isOurs = owner === 'human' && ", 'const isOurs = '],
      failing: 'cancels it when the bot has the dialogue back',
    },
    'Other messages of the bot leave after its hand-over': {
      change: ["if (message.origin !== 'hand_over') return owner;", "if (message.origin === 'first') return owner;"],
      failing: 'cancels an answer in the same dialogue',
    },
  },
  'src/conversations/stageDetection.test.ts': {
    'Stage detection is turned on twice': {
      change: ['if (!config) throw', 'if (false) throw'],
      failing: 'is turned on once with ready-made prompts',
    },
    'Ready-made prompts replace those of the team': {
      disabled: 'if (await readProductPrompt(tx, productId, type))',
      failing: 'uses the prompts that the product has',
    },
  },
  'src/llm/wire/wire.test.ts': {
    'A refused call ends the answer': {
      file: 'src/llm/modelAttempt.ts',
      change: ["result.output.type === 'text' && endsAnswer", 'endsAnswer'],
      failing: 'that end the answer do so',
    },
  },
  'src/conversations/quotations.test.ts': {
    'A quotation needs not occur in a message': {
      change: ["wanted !== '' && normalized.includes(wanted)", "wanted !== ''"],
      failing: 'drops a quotation of another message',
    },
    'A line may quote what nobody wrote': {
      change: ['quotedIn(line)?.every(wasWritten) ?? false', 'quotedIn(line) !== null'],
      failing: 'keeps nothing that nobody wrote',
    },
    'A quotation that does not end is not checked': {
      change: ["DOUBLE_MARK.test(line.replaceAll(QUOTED, '')) ? null : quoted", 'quoted'],
      failing: 'drops the line: Says "I will take it.',
    },
  },
  'src/conversations/summarizeHandOver.test.ts': {
    "A model's quotations are stored as they come": {
      file: 'src/conversations/summarize.ts',
      change: ['const summary = checkQuotations(', 'const summary = ((said: DialogueSummary, _: unknown) => said)('],
      failing: 'leaves out what the lead has not written',
    },
    'Two instances summarize one hand-over': {
      file: 'src/conversations/store/handOvers.ts',
      change: ["\n  and ${isUnclaimed('h', PREFIX)}`;", '`;'],
      failing: 'is made once while another instance has claimed it',
    },
    'A spent budget counts as a failure of the model': {
      file: 'src/conversations/summarize.ts',
      change: ['return paused ?', 'return isPermanent ?'],
      failing: 'is off without a key or a budget',
    },
  },
  'src/jobs/keyedConcurrency.test.ts': {
    'All waiting hand-overs read their cards at once': {
      change: ['Math.min(slots, concurrency)', 'concurrency'],
      failing: 'runs fewer at once of work that asks for it',
    },
  },
  'src/crm/writeHandOver.test.ts': {
    'A note whose answer was lost is created again without a search': {
      disabled: 'if (attemptedAt !== null)',
      failing: 'finds what it created when the answer to the note is lost',
    },
    'A call that creates is not recorded before it leaves': {
      file: 'src/crm/amocrm/call.ts',
      removed: '    if (beforeSend && !(await beforeSend())) return withdrawn;\n',
      failing: 'finds what it created when the answer to the task is lost',
    },
    'A call without an answer counts as not made': {
      change: ["answer.kind === 'away' && answer.maybeDone", 'false'],
      failing: 'finds what it created when a gateway fails after the note',
    },
    'The card is searched while the call may still be under way': {
      disabled: 'if (seconds > 0)',
      failing: 'neither searches nor creates while another call may be under way',
    },
    'A call leaves after its claim has ended': {
      file: STORE,
      change: [
        "claimed_by = ${instanceId} and claimed_until > clock_timestamp() and crm_state = 'pending'\n       and ${column.id} is null and ${column.attemptedAt} is not distinct from ${before}::timestamptz\n",
        'true\n',
      ],
      failing: 'makes no call when its claim ended before the call',
    },
    'A lead who waits in two dialogues gets two tasks': {
      disabled: "else if (piece === 'task')",
      failing: 'gets one task, and a note about each',
    },
    'The task of a dialogue that people have seen to counts for the next one': {
      file: STORE,
      removed: ' and d.hand_over_open',
      failing: 'gets another task once people have seen to the first one',
    },
    'A refused task is created though another one was created meanwhile': {
      file: STORE,
      removed: 'o.crm_task_id is not null or ',
      failing: 'gets the task of the second if the first was refused',
    },
    'A refused task is created while another one may be': {
      file: STORE,
      removed: ' or o.task_attempted_at is not null',
      failing: 'gets the task of the second if the first was refused',
    },
    'Note and task do not wait for the summary': {
      file: STORE,
      change: ["(h.summary_state <> 'pending' or h.summary_wait_until <= clock_timestamp())", 'true'],
      failing: 'waits for the summary, but no longer than its time',
    },
  },
};
