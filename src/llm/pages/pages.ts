/** The pages of language models, for the console's registry. */
import { IconBrain } from '@tabler/icons-react';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';

export const llmPages: readonly PageEntry[] = [
  {
    key: 'crm-company-llms',
    title: 'LLM Credentials',
    label: 'LLM Credentials',
    group: 'Company',
    icon: IconBrain,
    order: 2,
    needs: 'company',
    ...lazyPage(() => import('./CredentialsPage.tsx')),
  },
];
