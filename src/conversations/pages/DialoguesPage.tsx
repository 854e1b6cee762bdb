import { useMediaQuery } from '@mantine/hooks';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { pageTools } from '../../ui/pageTool.ts';
import { useScope } from '../../ui/scope.ts';
import { NARROW_SCREEN } from '../../ui/theme.ts';
import { DialogueColumn } from './chat/DialogueColumn.tsx';
import { DialogueList } from './DialogueList.tsx';
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
    <PageFrame title={t('Dialogues')} fill actions={<RetryAll productId={productId} />}>
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
