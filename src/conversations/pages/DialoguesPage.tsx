import { ActionIcon, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { pageTools } from '../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../ui/query.ts';
import { ResourceDialogs } from '../../ui/ResourceDialogs.tsx';
import { useScope } from '../../ui/scope.ts';
import { NARROW_SCREEN } from '../../ui/theme.ts';
import { dialogues } from '../contract.ts';
import { DialogueColumn } from './chat/DialogueColumn.tsx';
import { DialogueList } from './DialogueList.tsx';
import { dialogueForm } from './dialogueForm.ts';
import { dialogueTools } from './dialogueTools.ts';
import { RetryAll } from './RetryAll.tsx';

/** All dialogues of the chosen product, newest activity first: a table, or a list of chats on a narrow screen. */
export default function DialoguesPage() {
  const { product } = useScope();
  const isNarrow = useMediaQuery(NARROW_SCREEN, false, { getInitialValueInEffect: false });
  if (isNarrow && product !== null) return <ChatList productId={product.id} />;
  return (
    <DialogueList
      title={t('Dialogues')}
      description={t('The dialogues of the chosen product, newest activity first. A row opens the chat.')}
      productId={product?.id ?? null}
      buttons={product && <RetryAll productId={product.id} />}
    />
  );
}

function ChatList({ productId }: { productId: number }) {
  const page = usePage();
  usePageContext({
    description: t('The dialogues of the chosen product, newest activity first. A row opens the chat.'),
    summary: JSON.stringify({ page: t('Dialogues'), parameters: page.params }),
    ...pageTools(...dialogueTools()),
  });
  return (
    <PageFrame
      title={t('Dialogues')}
      fill
      actions={
        <>
          <RetryAll productId={productId} />
          <NewDialogue productId={productId} />
        </>
      }
    >
      <DialogueColumn
        productId={productId}
        chosen={0}
        isFullPage
        onChoose={({ id, lead_name }, list) =>
          page.go('dialogue-chat', { ...list, dialogueId: id, dialogueName: lead_name })
        }
      />
    </PageFrame>
  );
}

/** The button that creates a dialogue, with its form. */
function NewDialogue({ productId }: { productId: number }) {
  const { company } = useScope();
  const [isOpen, setOpen] = useState(false);
  const label = t('New {{noun}}', { noun: t('dialogue') });
  return (
    <>
      <Tooltip label={label}>
        <ActionIcon aria-label={label} onClick={() => setOpen(true)}>
          <IconPlus size={18} />
        </ActionIcon>
      </Tooltip>
      {isOpen && (
        <ResourceDialogs
          dialog={{ edit: null }}
          crud={dialogues}
          noun={t('dialogue')}
          nameOf={(dialogue) => dialogue.lead_name}
          form={dialogueForm({ company, productId })}
          removal={undefined}
          onChanged={() => void queryClient.invalidateQueries({ queryKey: keyOf(dialogues.list) })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
