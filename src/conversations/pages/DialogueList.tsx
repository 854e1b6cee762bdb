/** A list of dialogues, of a product or of one contact. */
import { Text, Tooltip } from '@mantine/core';
import { IconAlertCircle, IconUser } from '@tabler/icons-react';
import { type ReactNode, useMemo } from 'react';
import type { Column } from '../../ui/columns.ts';
import { formatDollars } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { PlainText } from '../../ui/PlainText.tsx';
import { usePage } from '../../ui/page.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { useScope } from '../../ui/scope.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { YesNo } from '../../ui/YesNo.tsx';
import { type Dialogue, dialogues } from '../contract.ts';
import { dialogueCascadeCounts } from './cascadeCounts.ts';
import { dialogueFilters, listParamsIn } from './dialogueFilters.ts';
import { dialogueForm } from './dialogueForm.ts';
import { dialogueTools } from './dialogueTools.ts';
import classes from './list.module.css';
import { OwnerBadge } from './owner.tsx';
import { SearchSnippet } from './shared/SearchSnippet.tsx';
import { MessageStatusIcon } from './shared/status.tsx';

interface DialogueListProps {
  title: string;
  description: string;
  productId: number | null;
  /** Show only the dialogues of this contact. */
  contactId?: number;
  onBack?: () => void;
  buttons?: ReactNode;
}

export function DialogueList({ title, description, productId, contactId, onBack, buttons }: DialogueListProps) {
  const page = usePage();
  const { company } = useScope();
  const search = page.params.search ?? '';
  const columns = useMemo(() => dialogueColumns(search), [search]);
  const ofContact = contactId !== undefined;
  return (
    <ResourcePage
      crud={dialogues}
      title={title}
      description={description}
      columns={columns}
      filters={dialogueFilters()}
      fixedQuery={ofContact ? { contact_id: contactId } : { product_id: productId }}
      nameOf={(dialogue) => dialogue.lead_name}
      rowLink={(dialogue) => ({
        page: 'dialogue-chat',
        params: {
          // The chat page steps through the dialogues of this list, in its order.
          ...(ofContact ? {} : listParamsIn(page.params)),
          dialogueId: dialogue.id,
          dialogueName: dialogue.lead_name,
        },
      })}
      form={dialogueForm({ company, productId }, contactId)}
      removal={{
        crud: dialogues,
        cascadeCounts: ({ id }) => dialogueCascadeCounts([id]),
        bulkCascadeCounts: dialogueCascadeCounts,
      }}
      actions={(dialogue) => [
        { label: t('Lead'), icon: IconUser, run: () => page.go('lead-detail', { leadId: dialogue.lead_id }) },
      ]}
      assistantFields={(dialogue) => ({
        lead_id: dialogue.lead_id,
        contact: dialogue.contact,
        channel: dialogue.channel_name,
        stage: dialogue.lead_stage,
        answers: dialogue.owner,
        last_message: dialogue.last_message,
        last_message_at: dialogue.last_msg_created_at,
        no_answer: dialogue.no_answer,
        not_sent: dialogue.last_message_trouble,
      })}
      assistant={dialogueTools()}
      buttons={buttons}
      {...(onBack ? { onBack } : {})}
    />
  );
}

function dialogueColumns(search: string): Column<Dialogue>[] {
  return [
    { key: 'lead_name', label: t('Lead'), primary: true, span: 1.75, render: (dialogue) => dialogue.lead_name },
    {
      key: 'last_message',
      label: t('Last message'),
      span: 2.5,
      render: (dialogue) => <LastMessage dialogue={dialogue} search={search} />,
    },
    { key: 'owner', label: t('Answers'), span: 2, render: (dialogue) => <OwnerBadge dialogue={dialogue} /> },
    {
      key: 'last_msg_created_at',
      label: t('When'),
      sort: 'last_msg_created_at',
      span: 1.25,
      render: (dialogue) => <Timestamp iso={dialogue.last_msg_created_at} />,
    },
    { key: 'channel_name', label: t('Channel'), hiddenByDefault: true, render: (dialogue) => dialogue.channel_name },
    { key: 'contact', label: t('Contact'), hiddenByDefault: true, render: (dialogue) => dialogue.contact },
    {
      key: 'is_main',
      label: t('Main'),
      span: 1.25,
      hiddenByDefault: true,
      render: (dialogue) => <YesNo value={dialogue.is_main} yes={t('Main')} no={t('Other')} />,
    },
    {
      key: 'last_user_msg_at',
      label: t('Lead wrote'),
      sort: 'last_user_msg_at',
      span: 1.5,
      hiddenByDefault: true,
      render: (dialogue) => <Timestamp iso={dialogue.last_user_msg_at} />,
    },
    {
      key: 'lead_card',
      label: t('Lead card'),
      span: 1.5,
      hiddenByDefault: true,
      render: (dialogue) => (
        <PageLink to="lead-detail" params={{ leadId: dialogue.lead_id }}>
          {t('Open')}
        </PageLink>
      ),
    },
    {
      key: 'cost',
      label: t('Cost'),
      span: 1.25,
      number: true,
      hiddenByDefault: true,
      listQuery: { with_cost: true },
      render: ({ cost }) => (typeof cost === 'number' ? formatDollars(cost) : '–'),
    },
    {
      key: 'id',
      label: t('ID'),
      sort: 'id',
      span: 1,
      number: true,
      hiddenByDefault: true,
      render: (dialogue) => dialogue.id,
    },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.5,
      hiddenByDefault: true,
      render: (dialogue) => <Timestamp iso={dialogue.created_at} />,
    },
  ];
}

/** In a search, the match; else the last message, or why the bot gave no answer. */
function LastMessage({ dialogue, search }: { dialogue: Dialogue; search: string }) {
  if (dialogue.found) return <SearchSnippet text={dialogue.found} search={search} />;
  if (dialogue.no_answer !== null) {
    return (
      <Tooltip label={dialogue.no_answer}>
        <span className={classes.unanswered}>
          <IconAlertCircle size={15} aria-hidden /> {dialogue.no_answer}
        </span>
      </Tooltip>
    );
  }
  const failedStatus = dialogue.last_message_trouble;
  return (
    <Text span inherit c="dimmed">
      {failedStatus !== null && <MessageStatusIcon status={failedStatus} />}
      {failedStatus !== null && ' '}
      {dialogue.last_message === null ? t('No messages yet') : <PlainText text={dialogue.last_message} />}
    </Text>
  );
}
