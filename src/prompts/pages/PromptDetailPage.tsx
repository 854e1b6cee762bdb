import { t } from '../../ui/i18n.ts';
import { PageLoading } from '../../ui/PageLoading.tsx';
import { parseId, usePage } from '../../ui/page.ts';
import { useFreshQuery } from '../../ui/query.ts';
import { prompts } from '../contract.ts';
import { PromptEditing } from './PromptEditing.tsx';

/** Page of one prompt and its history. Without a `promptId` in the address, it is the form for a new one. */
export default function PromptDetailPage() {
  const page = usePage();
  const idParam = page.params.promptId ?? '';
  const id = parseId(idParam);
  const found = useFreshQuery(prompts.get, { params: { id: id ?? 0 } }, { enabled: id !== null });
  if (idParam === '') return <PromptEditing key="new" prompt={null} />;
  if (found.data) return <PromptEditing key={id} prompt={found.data} />;
  return (
    <PageLoading
      title={t('Prompt')}
      entity={t('prompt')}
      description={t('The editor of one prompt.')}
      error={found.error}
      onRetry={() => void found.refetch()}
      onBack={() => page.back('prompts')}
    />
  );
}
