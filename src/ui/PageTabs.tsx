/** Navigation between the tabs of a page. Each is a link, because each has its own address. */
import { type MouseEvent, useEffect, useRef } from 'react';
import { isPlainClick } from './PageLink.tsx';
import classes from './PageTabs.module.css';
import { hrefOf, type PageParams, usePage } from './page.ts';
import { useSidewaysShadow } from './sidewaysScroll.ts';

interface PageTab {
  readonly label: string;
  readonly page: string;
  readonly params?: PageParams;
  readonly isCurrent: boolean;
}

export function PageTabs({ label, tabs }: { label: string; tabs: readonly PageTab[] }) {
  const { go } = usePage();
  const frame = useRef<HTMLElement>(null);
  useSidewaysShadow(frame);
  const current = tabs.find(({ isCurrent }) => isCurrent)?.label;
  useEffect(() => {
    if (current !== undefined)
      frame.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  return (
    <nav ref={frame} className={classes.tabs} aria-label={label}>
      {tabs.map(({ label: name, page, params = {}, isCurrent }) => (
        <a
          key={name}
          className={classes.tab}
          href={hrefOf(page, params)}
          aria-current={isCurrent ? 'page' : undefined}
          onClick={(event: MouseEvent) => {
            if (!isPlainClick(event)) return;
            event.preventDefault();
            go(page, params);
          }}
        >
          {name}
        </a>
      ))}
    </nav>
  );
}
