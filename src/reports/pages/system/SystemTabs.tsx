import type { MouseEvent } from 'react';
import { opensHere } from '../../../kit/PageLink.tsx';
import { hrefOf, usePage } from '../../../kit/page.ts';
import { t } from '../../../kit/t.ts';
import classes from './system.module.css';
import { tabOf, tabs } from './tabs.ts';

/** The way from tab to tab: each is a link, since each is an address. */
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
            if (!opensHere(event)) return;
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
