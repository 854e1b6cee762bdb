import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { DialogueList } from './DialogueList.tsx';
import { RetryAll } from './RetryAll.tsx';

/** All dialogues of the chosen product, the one that spoke last first. */
export default function DialoguesPage() {
  const { product } = useScope();
  return (
    <DialogueList
      title={t('Dialogues')}
      description={t('The dialogues of the chosen product, the one that spoke last first. A row opens the chat.')}
      productId={product?.id ?? null}
      buttons={product && <RetryAll productId={product.id} />}
    />
  );
}
