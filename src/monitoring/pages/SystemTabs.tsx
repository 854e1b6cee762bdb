import type { MouseEvent } from 'react';
import { t } from '../../ui/i18n.ts';
import { isPlainClick } from '../../ui/PageLink.tsx';
import { hrefOf, usePage } from '../../ui/page.ts';
import classes from './system.module.css';
import { tabOf, tabs } from './tabs.ts';

/** Navigation between the tabs. Each is a link, because each has its own URL. */
export function SystemTabs() {
  const { params, go } = usePage();
  const current = tabOf(params);
  return (
    <nav className={classes.tabs} aria-label={t('Parts of the system')}>
      {tabs.map(({ key, label }) => (
        <a
          key={key}
          className={classes.tab}
          href={hrefOf('system', { tab: key })}
          aria-current={key === current ? 'page' : undefined}
          onClick={(event: MouseEvent) => {
            if (!isPlainClick(event)) return;
            event.preventDefault();
            go('system', { tab: key });
          }}
        >
          {t(label)}
        </a>
      ))}
    </nav>
  );
}
