/** Pages of dialogues and messages, for the console's registry. */
import { IconMessage2, IconMessages } from '@tabler/icons-react';
import { contacts } from '../../leads/contract.ts';
import { pageRow } from '../../ui/pageRow.ts';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';
import { chatPage } from './chat/pages.ts';

const contactRow = pageRow(
  { param: 'contactId', singular: contacts.resource, list: 'contacts', read: () => contacts.get },
  (contact) => contact,
);

export const conversationPages: readonly PageEntry[] = [
  {
    key: 'crm-dialogues',
    title: 'Dialogues',
    label: 'Dialogues',
    group: 'Product',
    icon: IconMessages,
    order: 6,
    needs: 'product',
    ...lazyPage(() => import('./DialoguesPage.tsx')),
  },
  {
    key: 'crm-messages',
    title: 'Messages',
    label: 'Messages',
    group: 'Product',
    icon: IconMessage2,
    order: 7,
    needs: 'product',
    ...lazyPage(() => import('./MessagesPage.tsx')),
  },
  {
    key: 'crm-contact-dialogues',
    title: 'Contact Dialogues',
    group: null,
    parent: 'crm-dialogues',
    needs: 'product',
    rows: [contactRow],
    ...lazyPage(() => import('./ContactDialoguesPage.tsx')),
  },
  {
    key: 'send-message',
    title: 'Send Message',
    group: null,
    parent: 'crm-leads',
    needs: 'product',
    rows: [contactRow],
    ...lazyPage(() => import('./SendMessagePage.tsx')),
  },
  chatPage,
];
