/** The prompt studio with the playground, for the console's registry. */
import { IconRobot, IconTestPipe } from '@tabler/icons-react';
import { leads } from '../../leads/contract.ts';
import { prompts } from '../../prompts/contract.ts';
import { pageRow } from '../../ui/pageRow.ts';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';
import { studioCases } from '../caseContract.ts';
import { readStudioRun } from '../runContract.ts';

/** The prompt that a page of the studio is about. */
const promptRow = pageRow(
  { param: 'promptId', singular: prompts.resource, list: 'prompts', optional: true, read: () => prompts.get },
  (prompt) => prompt,
);

export const studioPages: readonly PageEntry[] = [
  {
    key: 'chatbot',
    title: 'Chatbot Playground',
    label: 'Chatbot Playground',
    group: 'Product',
    icon: IconRobot,
    order: 1,
    needs: 'product',
    rows: [
      promptRow,
      pageRow(
        { param: 'leadId', singular: leads.resource, list: 'crm-leads', optional: true, read: () => leads.get },
        (lead) => lead,
      ),
    ],
    ...lazyPage(() => import('./PlaygroundPage.tsx')),
  },
  {
    key: 'studio',
    title: 'Runs',
    label: 'Prompt Studio',
    group: 'Product',
    icon: IconTestPipe,
    order: 10.6,
    needs: 'product',
    rows: [promptRow],
    ...lazyPage(() => import('./runs/RunsPage.tsx')),
  },
  {
    key: 'studio-run',
    title: 'Run',
    group: null,
    parent: 'studio',
    needs: 'product',
    rows: [
      pageRow(
        { param: 'runId', singular: 'run', list: 'studio', optional: false, read: () => readStudioRun },
        (run) => run,
      ),
    ],
    ...lazyPage(() => import('./runs/RunPage.tsx')),
  },
  {
    key: 'studio-cases',
    title: 'Test cases',
    group: null,
    parent: 'studio',
    needs: 'product',
    rows: [promptRow],
    ...lazyPage(() => import('./cases/CasesPage.tsx')),
  },
  {
    key: 'studio-case',
    title: 'Test case',
    group: null,
    parent: 'studio',
    needs: 'product',
    rows: [
      pageRow(
        { param: 'caseId', singular: 'test case', list: 'studio-cases', optional: true, read: () => studioCases.get },
        (one) => one,
      ),
      promptRow,
    ],
    ...lazyPage(() => import('./cases/CasePage.tsx')),
  },
  {
    key: 'studio-personas',
    title: 'Simulated leads',
    group: null,
    parent: 'studio',
    needs: 'product',
    ...lazyPage(() => import('./personas/PersonasPage.tsx')),
  },
  {
    key: 'studio-judge',
    title: 'Judge',
    group: null,
    parent: 'studio',
    needs: 'product',
    ...lazyPage(() => import('./judge/JudgePage.tsx')),
  },
];
