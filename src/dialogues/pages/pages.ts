/** The pages of dialogues and messages, for the console's registry. */
import { IconMessage2, IconMessages } from '@tabler/icons-react';
import { lazy } from 'react';
import { addressedRow } from '../../kit/addressedRow.ts';
import type { PageEntry } from '../../kit/pages.ts';
import { contacts } from '../../leads/contract.ts';
import { chatPage } from './chat/entry.ts';

const contactRow = addressedRow(
  { param: 'contactId', noun: contacts.noun, list: 'contacts', read: contacts.get },
  (contact) => contact,
);

export const dialoguePages: readonly PageEntry[] = [
  {
    key: 'crm-dialogues',
    title: 'Dialogues',
    label: 'Dialogues',
    group: 'Product',
    icon: IconMessages,
    order: 6,
    needs: 'product',
    component: lazy(() => import('./DialoguesPage.tsx')),
  },
  {
    key: 'crm-messages',
    title: 'Messages',
    label: 'Messages',
    group: 'Product',
    icon: IconMessage2,
    order: 7,
    needs: 'product',
    component: lazy(() => import('./MessagesPage.tsx')),
  },
  {
    key: 'crm-contact-dialogues',
    title: 'Contact Dialogues',
    group: null,
    parent: 'crm-dialogues',
    needs: 'product',
    rows: [contactRow],
    component: lazy(() => import('./ContactDialoguesPage.tsx')),
  },
  {
    key: 'send-message',
    title: 'Send Message',
    group: null,
    parent: 'crm-leads',
    needs: 'product',
    rows: [contactRow],
    component: lazy(() => import('./SendMessagePage.tsx')),
  },
  chatPage,
];
