/** Mutations of simulated leads, and of the engine in memory that waits for texts. */
import type { MutationsByTest } from './mutation.ts';

export const SIMULATION_MUTATIONS: MutationsByTest = {
  'src/outreach/memory/engine.test.ts': {
    'The simulated clock moves on while a text is awaited': {
      removed: 'if (state.requests.size === 0) ',
      failing: 'asks for a text, stands still until it is there, and goes on with what is still wanted',
    },
    'A simulated answer is sent although the lead has written again': {
      file: 'src/outreach/memory/inbound.ts',
      change: ['decideReply(\n    { turn, result', 'decideReply(\n    { turn: dialogueState.turn, result'],
      failing: 'drops a text that was asked for before the lead wrote again',
    },
    'The bot answers in a simulated dialogue in which it was to stay silent': {
      file: 'src/outreach/memory/thread.ts',
      removed: 'asked.id <= (state.closed_msg_id ?? 0) || ',
      failing: 'stays silent when the dialogue is given back so, and answers the next message',
    },
    'The bot goes on after a simulated hand-over': {
      file: 'src/outreach/memory/inbound.ts',
      change: ["if (effect === 'hand_over' && result.kind", 'if (effect === null && result.kind'],
      failing: 'hands over when the model asks for a human: the sentence leaves in one part, and nothing after it',
    },
  },
  'src/outreach/memory/world.test.ts': {
    'In memory what becomes of a message does not reach its dialogue': {
      file: 'src/outreach/memory/changes.ts',
      removed: 'Object.assign(dialogue.state, decision.dialogue);',
      failing: 'ends in the state that the rules end in, whatever happens in whatever order',
    },
    'In memory follow-ups count for words that the lead wrote before': {
      file: 'src/outreach/memory/thread.ts',
      removed: 'own === anchor && ',
      failing: 'reads of a lead what its whole history says, and breaks no rule, whatever happens',
    },
  },
  'src/proofs/simulate/month.long.test.ts': {
    "In a simulated month first messages leave before their day's Send at": {
      file: 'src/outreach/sendTimes.ts',
      disabled: 'if (sendAt > at)',
      failing: 'months of many leads in memory break no rule',
    },
    'In a simulated month leads expire to whom an answer is owed': {
      file: 'src/outreach/plan.ts',
      change: [
        'lead.answeredAt === null || lead.owesAnswer || lead.humanOwned) return null;\n  return lead.answeredAt',
        'lead.lastUserAt === null || lead.humanOwned) return null;\n  return lead.lastUserAt',
      ],
      failing: 'months of many leads in memory break no rule',
    },
  },
  'src/studio/simulate/scrub.test.ts': {
    'Personas keep phone numbers': {
      change: ['[MAIL, LINK, ADDRESS, DATE, NUMBER, ...patterns]', '[MAIL, LINK, ADDRESS, DATE, ...patterns]'],
      failing: 'leaves no number, no e-mail, no link and no name, whatever the text is',
    },
    'Personas keep names': {
      change: ['[MAIL, LINK, ADDRESS, DATE, NUMBER, ...patterns]', '[MAIL, LINK, ADDRESS, DATE, NUMBER]'],
      failing: 'leaves no number, no e-mail, no link and no name, whatever the text is',
    },
  },
  'src/studio/simulate/personas.test.ts': {
    'What a model writes of leads is stored as it is': {
      file: 'src/studio/simulate/derivePersonas.ts',
      change: ['list.map((one) => scrubber.scrub(one))', 'list.map((one) => one)'],
      failing: 'stores no number, no e-mail and no name of a lead, whatever the model writes',
    },
    'A model reads the names of leads to make personas': {
      file: 'src/studio/simulate/derivePersonas.ts',
      change: ['text: scrubber.scrub(text)', 'text'],
      failing: 'makes as many as asked for, which say of how many dialogues, without what could say who the leads were',
    },
  },
  'src/studio/simulate/playFaults.test.ts': {
    'A simulated lead speaks for the company': {
      removed: ' || ours.some((one) => repeats(text, one))',
      failing: 'finds role: ok. A kitchen of three metres',
    },
    'A simulated lead writes its thoughts down': {
      removed: "if (REMARKS.test(text)) return 'reasoning';",
      failing: 'finds reasoning: As the customer, I want to know',
    },
    'A simulated lead ends the talk early': {
      removed: "if (STOP_SIGNS.test(text)) return 'early_end';",
      failing: 'finds early_end: How much is it? ###STOP###',
    },
  },
  'src/studio/simulate/talk.test.ts': {
    'A simulated lead goes on after the hand-over': {
      change: ['if (!beat || this.#muted) return null;', 'if (!beat) return null;'],
      failing: 'leaves out what was planned after an early hand-over',
    },
    'A message after an opt-out is no fault of the engine': {
      file: 'src/studio/simulate/engineFaults.ts',
      removed: '...findAfterMute(talk),',
      failing: 'finds what breaks a guarantee',
    },
  },
  'src/studio/simulate/scoreTalk.test.ts': {
    'An unknown price is no finding': {
      removed: "{ kind: 'known_facts' },",
      failing: 'finds known_facts: A lesson costs 19 euros.',
    },
    'Selling after a refusal is no finding': {
      removed: '...(isAfterRefusal(answer, talk, scored) ? findSelling(output.text) : []),',
      failing: 'finds selling after a refusal, and not before',
    },
  },
  'src/studio/simulate/realism.test.ts': {
    'A talk is guessed by the talks of its own persona': {
      change: ['one.persona !== persona', 'one.persona !== -persona'],
      failing: 'does not learn from talks of the persona that it guesses',
    },
  },
  'src/studio/simulate/simulation.test.ts': {
    'A persona passes by one good talk': {
      file: 'src/studio/simulate/concludeSimulation.ts',
      change: ['candidate.filter(isClean).length === repeats', 'candidate.some(isClean)'],
      failing: 'is red where one talk of three fails, says in which answer, and shows that talk',
    },
    'A fault of ours counts against the prompt': {
      file: 'src/studio/simulate/concludeSimulation.ts',
      change: [
        "state === 'done' && output !== null && error === null;",
        "state === 'done' && output !== null && error !== '';",
      ],
      failing: 'passes nobody on missing talks, and counts a fault of ours against nobody',
    },
    'A repeat meets other circumstances when it is resumed': {
      file: 'src/studio/simulate/draw.ts',
      change: ['`${seed}\\n${label}`', '`${Math.random()}\\n${label}`'],
      failing: 'pays for no call twice when it is resumed after each of them, and is the same talk',
    },
    'Personas are compared with the dialogues that they are made of': {
      file: 'src/studio/store/personas.ts',
      change: ['const HELD_OUT = sql`d.id % 3 = 0`;', 'const HELD_OUT = sql`d.id > 0`;'],
      failing: 'measures how well simulated leads can be told from real ones that no persona was made of',
    },
  },
};
