/** What the weekly report tells the assistant, and its tools. */
import { z } from 'zod';
import { day } from '../../../platform/contract.ts';
import { t } from '../../../ui/i18n.ts';
import type { PageContext } from '../../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools } from '../../../ui/pageTool.ts';
import type { StripFigures } from './Strip.tsx';

interface ReportContext {
  readonly product: { readonly id: number; readonly name: string } | null;
  /** Its Monday. */
  readonly week: string;
  readonly figures: StripFigures | undefined;
  readonly open: (week: string) => void;
  readonly print: () => void;
}

const WEEK = z.strictObject({ week: day.describe('Monday of the week') });

export function reportContext({ product, week, figures, open, print }: ReportContext): PageContext {
  return {
    description: t('The figures of one week of the chosen product, on one printable sheet.'),
    summary: JSON.stringify({
      product: product && { id: product.id, name: product.name },
      week,
      figures: figures ?? 'loading',
    }),
    ...pageTools(
      pageTool({
        name: 'open_week',
        description: t('Opens the report of another week.'),
        input: WEEK,
        run: async (args) => {
          open(args.week);
          return { status: 'opened' };
        },
      }),
      pageTool({
        name: 'open_print_dialog',
        description: t('Opens the browser’s dialog that prints the report.'),
        input: NO_ARGUMENTS,
        run: async () => {
          print();
          return { status: 'opened' };
        },
      }),
    ),
  };
}
