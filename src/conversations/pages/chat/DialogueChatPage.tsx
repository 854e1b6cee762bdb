/** dialogue-chat: one live conversation, with its owner, the lead card beside it, and the list of other dialogues. */
import { useState } from 'react';
import { t } from '../../../ui/i18n.ts';
import { parseId, usePage } from '../../../ui/page.ts';
import { useScope } from '../../../ui/scope.ts';
import { toast } from '../../../ui/toast.ts';
import type { Dialogue } from '../../contract.ts';
import { listParamsIn } from '../dialogueFilters.ts';
import { ChatFrame } from '../shared/ChatFrame.tsx';
import { findNextWaiting } from '../shared/nextWaiting.ts';
import { DialogueColumn } from './DialogueColumn.tsx';

export default function DialogueChatPage() {
  const { params, back, go } = usePage();
  const { operator, product } = useScope();
  const dialogueId = parseId(params.dialogueId) ?? 0;
  const [writeIn, setWriteIn] = useState<number | null>(null);
  const list = listParamsIn(params);
  const open = ({ id, lead_name }: { id: number; lead_name: string }, ofList = list) =>
    go('dialogue-chat', { ...ofList, dialogueId: id, dialogueName: lead_name }, { replace: true });
  const choose = (dialogue: Dialogue, ofList: typeof list) => {
    setWriteIn(null);
    open(dialogue, ofList);
  };
  const openNext = async () => {
    const next = product && (await findNextWaiting(operator.id, { product_id: product.id, chosen: dialogueId }));
    if (!next) return toast.info(t('No other dialogue is waiting for a human.'));
    setWriteIn(next.id);
    open(next);
  };
  return (
    <ChatFrame
      dialogueId={dialogueId}
      title={params.dialogueName || t('Dialogue')}
      hasBackButton
      onBack={() => back('crm-dialogues', list)}
      productId={product?.id ?? null}
      writeIn={writeIn}
      onNext={() => void openNext().catch(toast.failure)}
      list={() => product !== null && <DialogueColumn productId={product.id} chosen={dialogueId} onChoose={choose} />}
    />
  );
}
