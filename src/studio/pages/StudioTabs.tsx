import { t } from '../../ui/i18n.ts';
import { PageTabs } from '../../ui/PageTabs.tsx';
import { usePage } from '../../ui/page.ts';

const TABS = [
  { page: 'chatbot', label: 'Playground' },
  { page: 'studio-cases', label: 'Test cases' },
  { page: 'studio', label: 'Runs' },
  { page: 'studio-personas', label: 'Simulated leads' },
  { page: 'studio-judge', label: 'Judge' },
] as const;

/** Navigation between the parts of the prompt studio. The chosen prompt stays. */
export function StudioTabs() {
  const { key, params } = usePage();
  const promptId = params['promptId'];
  return (
    <PageTabs
      label={t('Prompt studio')}
      tabs={TABS.map(({ page, label }) => ({
        page,
        label: t(label),
        params: page === 'studio-personas' || page === 'studio-judge' ? {} : { promptId },
        isCurrent: page === key,
      }))}
    />
  );
}
