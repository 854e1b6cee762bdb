import { useMediaQuery } from '@mantine/hooks';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { usePage } from '../../kit/page.ts';
import { usePageContext } from '../../kit/pageContext.ts';
import { pageTools } from '../../kit/pageTool.ts';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { NARROW } from '../../kit/theme.ts';
import { DialogueColumn } from './chat/DialogueColumn.tsx';
import { DialogueList } from './DialogueList.tsx';
import { dialogueTools } from './dialogueTools.ts';
import { RetryAll } from './RetryAll.tsx';

/** All dialogues of the chosen product, the one that spoke last first: a table, on a narrow screen a list of chats. */
export default function DialoguesPage() {
  const { product } = useScope();
  const narrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  if (narrow && product !== null) return <Chats productId={product.id} />;
  return (
    <DialogueList
      title={t('Dialogues')}
      description={t('The dialogues of the chosen product, the one that spoke last first. A row opens the chat.')}
      productId={product?.id ?? null}
      buttons={product && <RetryAll productId={product.id} />}
    />
  );
}

function Chats({ productId }: { productId: number }) {
  const page = usePage();
  usePageContext({
    description: t('The dialogues of the chosen product, the one that spoke last first. A row opens the chat.'),
    summary: JSON.stringify({ page: t('Dialogues'), parameters: page.params }),
    ...pageTools(...dialogueTools()),
  });
  return (
    <PageFrame title={t('Dialogues')} fill actions={<RetryAll productId={productId} />}>
      <DialogueColumn
        productId={productId}
        chosen={0}
        whole
        onChoose={({ id, lead_name }, list) =>
          page.go('dialogue-chat', { ...list, dialogueId: id, dialogueName: lead_name })
        }
      />
    </PageFrame>
  );
}
