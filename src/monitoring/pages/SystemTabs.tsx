import { t } from '../../ui/i18n.ts';
import { PageTabs } from '../../ui/PageTabs.tsx';
import { usePage } from '../../ui/page.ts';
import { tabOf, tabs } from './tabs.ts';

/** Navigation between the parts of the System page. */
export function SystemTabs() {
  const current = tabOf(usePage().params);
  return (
    <PageTabs
      label={t('Parts of the system')}
      tabs={tabs.map(({ key, label }) => ({
        label: t(label),
        page: 'system',
        params: { tab: key },
        isCurrent: key === current,
      }))}
    />
  );
}
