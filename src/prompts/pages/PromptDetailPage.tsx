import { usePage } from '../../kit/page.ts';
import { useAnew } from '../../kit/query.ts';
import { prompts } from '../contract.ts';
import { PromptEditing } from './PromptEditing.tsx';
import { PromptMissing } from './PromptMissing.tsx';

/** One prompt and its history; without a `promptId` in the address the form that creates one. */
export default function PromptDetailPage() {
  const { params } = usePage();
  const given = params.promptId ?? '';
  const id = /^[1-9]\d{0,14}$/.test(given) ? Number(given) : null;
  const found = useAnew(prompts.get, { params: { id: id ?? 0 } }, { enabled: id !== null });
  if (given === '') return <PromptEditing key="new" prompt={null} />;
  if (found.data) return <PromptEditing key={id} prompt={found.data} />;
  return <PromptMissing error={found.error} malformed={id === null} onRetry={() => void found.refetch()} />;
}
