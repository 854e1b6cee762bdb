import { PageWaiting } from '../../kit/PageWaiting.tsx';
import { idIn, usePage } from '../../kit/page.ts';
import { useAnew } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { prompts } from '../contract.ts';
import { PromptEditing } from './PromptEditing.tsx';

/** One prompt and its history; without a `promptId` in the address the form that creates one. */
export default function PromptDetailPage() {
  const page = usePage();
  const given = page.params.promptId ?? '';
  const id = idIn(given);
  const found = useAnew(prompts.get, { params: { id: id ?? 0 } }, { enabled: id !== null });
  if (given === '') return <PromptEditing key="new" prompt={null} />;
  if (found.data) return <PromptEditing key={id} prompt={found.data} />;
  return (
    <PageWaiting
      title={t('Prompt')}
      entity={t('prompt')}
      description={t('The editor of one prompt.')}
      error={found.error}
      onRetry={() => void found.refetch()}
      onBack={() => page.back('prompts')}
    />
  );
}
