/** Mutations of how templates are filled in, and of what keeps one with errors from going live. */
import type { MutationsByTest } from './mutation.ts';

export const TEMPLATE_MUTATIONS: MutationsByTest = {
  'src/prompts/template.test.ts': {
    'A list prints without a separator': {
      file: 'src/prompts/template.ts',
      change: ["value.map(toText).join(', ')", "value.map(toText).join('')"],
      failing: 'prints {{ lead.crm_fields.wishes }} in a prompt as in a message',
    },
    'Filters read a list without a separator': {
      file: 'src/prompts/template.ts',
      change: ['Array.isArray(one) ? toText(one) : one', 'one'],
      failing: 'prints {{ lead.crm_fields.wishes | upcase }} in a prompt as in a message',
    },
    'A day is the day before in the west': {
      file: 'src/prompts/template.ts',
      change: ['`${first}T00:00`', 'first'],
      failing: 'prints a day as that day in America/New_York',
    },
  },
  'src/prompts/confirmedErrors.test.ts': {
    'A text with errors goes live when it is saved': {
      file: 'src/prompts/routes.ts',
      removed: "  await requireConfirmedErrors(tx, { productId, texts: [text], confirmed, loc: ['text'] });",
      failing: 'is not saved where it would be live at once, until each error is confirmed',
    },
    'A version with errors is published': {
      file: 'src/prompts/publish.ts',
      removed: "  await requireConfirmedErrors(tx, { productId, texts: [found.text], confirmed, loc: ['version'] });",
      failing: 'is saved as a draft, and not published',
    },
    'One confirmed error confirms all': {
      file: 'src/prompts/confirmedErrors.ts',
      change: ['!confirmed.includes(error)', 'confirmed.length === 0'],
      failing: 'is not saved where it would be live at once, until each error is confirmed',
    },
    'A draft can be included': {
      file: 'src/prompts/confirmedErrors.ts',
      change: ["{ productId, texts, includes: 'live' }", "{ productId, texts, includes: 'saved' }"],
      failing: 'may include a subprompt only when that is live',
    },
    'Other line endings are a new version': {
      file: 'src/platform/contract.ts',
      removed: '  .overwrite(normalizeLineEndings)',
      failing: 'saves a text with line endings of another system as the same text',
    },
  },
  'src/ui/diff.test.ts': {
    'Line endings are a change': {
      file: 'src/ui/diff.ts',
      change: ['normalizeLineEndings(text.endsWith', '(text.endsWith'],
      failing: 'is empty for equal texts, also when only the last line break differs',
    },
  },
  'src/crm/fieldDates.test.ts': {
    'A time is that of UTC': {
      file: 'src/crm/fieldDates.ts',
      change: ['const time = instant.toZonedDateTimeISO(zone)', "const time = instant.toZonedDateTimeISO('UTC')"],
      failing: 'of type date_time in Europe/Moscow: 1768458600 is 2026-01-15 09:30',
    },
    'A date is that of the product’s zone, not of the account’s': {
      file: 'src/crm/fieldDates.ts',
      change: ['if (isMidnight || !isQuarter)', 'if (isMidnight || isQuarter)'],
      failing: 'of type date in Europe/Riga: 1768338000 is 2026-01-14',
    },
  },
};
