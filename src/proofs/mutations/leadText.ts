/** Mutations of what leads see of a text, and of what consoles make of it. */
import type { MutationsByTest } from './mutation.ts';

export const LEAD_TEXT_MUTATIONS: MutationsByTest = {
  'src/outreach/leadText.test.ts': {
    "A model's Markdown is sent as it is": {
      file: 'src/conversations/partsForLead.ts',
      change: ['isMarkdown ? writeForLead(text, markup)', 'isMarkdown && text === "" ? writeForLead(text, markup)'],
      failing: 'shows a bot',
    },
    'What people have typed is converted as well': {
      file: 'src/conversations/partsForLead.ts',
      change: ['isMarkdown ? writeForLead(text, markup)', 'isMarkdown || text !== "" ? writeForLead(text, markup)'],
      failing: 'sends what people have typed and prepared as they did',
    },
    'A draft is not what would be sent': {
      file: 'src/conversations/suggestReply.ts',
      change: ['toLeadText(written.text, markup)', '((text: string) => text)(written.text)'],
      failing: 'drafts for operators what would be sent',
    },
    'Marks within its words hide an unusable answer': {
      file: 'src/conversations/runPrompt.ts',
      change: ["?? invalidReplyReason(toLeadText(answer, 'plain'), input.system)", '?? null'],
      failing: 'marks within the words hide nothing',
    },
  },
  'src/conversations/markup.test.ts': {
    'Stars between numbers are emphasis': {
      file: 'src/platform/markdown/emphasis.ts',
      change: ['const isBeside = touches(left) ||', 'const isBeside ='],
      failing: 'returns a text without Markdown as it is',
    },
    'Marks are written where WhatsApp shows them': {
      file: 'src/conversations/markup/lines.ts',
      change: [' && isOutside(outside.before) && isOutside(outside.after)', ''],
      failing: 'writes marks only where WhatsApp takes them for marks',
    },
    'A text of markup alone becomes empty': {
      change: ["written.text.trim() === '' ?", "written.text === '' && text === '' ?"],
      failing: 'throws for nothing, and makes no text empty',
    },
  },
  'src/platform/markdown/parse.test.ts': {
    'Hostile texts are parsed as one': {
      change: ['limit < rest.length;', 'limit < 0;'],
      failing: 'parses long and hostile texts in pieces',
    },
  },
  'src/conversations/splitText.test.ts': {
    'Texts are cut inside characters': {
      file: 'src/conversations/markup/cutText.ts',
      change: ['at < this.#text.length && !this.#characters.has(at)', 'at < 0'],
      failing: 'never cuts inside what people see as one character',
    },
    'A cut leaves marks open': {
      file: 'src/conversations/markup/cutText.ts',
      change: ['const head = text.slice(0, at).trimEnd() + close;', 'const head = text.slice(0, at).trimEnd();'],
      failing: 'closes the marks that it separates and opens them again',
    },
    'Blank lines flood a lead with messages': {
      disabled: 'while (joined.length > MAX_PARAGRAPHS)',
      failing: 'makes at most five messages of paragraphs',
    },
  },
  'src/proofs/corpus/corpus.test.ts': {
    'Blank lines cut a block of code': {
      file: 'src/conversations/splitText.ts',
      disabled: 'if (fences.some((fence) => index > fence.start && index < fence.end))',
      failing: 'gets the expected verdict for every case',
    },
  },
  'src/ui/Markdown.test.ts': {
    'A link may run a script': {
      file: 'src/ui/Markdown.tsx',
      change: ['if (!/^(?:https?:\\/\\/|mailto:)[^\\s]/i.test(address)) return content;', ''],
      failing: 'makes no link of',
    },
  },
};
