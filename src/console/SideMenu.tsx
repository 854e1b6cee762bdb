/** The side menu: groups of pages, and company, product and operator at the bottom. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconChevronDown, IconPin, IconPinnedOff, IconSettings } from '@tabler/icons-react';
import { type FocusEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { t } from '../ui/i18n.ts';
import { isPlainClick } from '../ui/PageLink.tsx';
import { hrefOf, usePage } from '../ui/page.ts';
import { useScope } from '../ui/scope.ts';
import { startPage } from '../ui/startPage.ts';
import { MenuFooter, type MenuFooterProps } from './MenuFooter.tsx';
import { type MenuGroupView, type MenuPage, menuOf } from './menu.ts';
import { menuKeyOf, pages } from './registry.ts';
import classes from './SideMenu.module.css';

/** Loaded after the page: it counts. */
const NeedsMeBadge = lazy(() => import('../desk/pages/alerts/NeedsMeBadge.tsx'));

interface SideMenuProps extends MenuFooterProps {
  pinned?: boolean;
  /** Toggles pinning. Without it the menu is inside a drawer and always wide. */
  onPin?: () => void;
}

/** Delay before the menu unfolds, so that a pointer passing over it does not unfold it. */
const UNFOLD_AFTER_MS = 100;
const FOLD_AFTER_MS = 250;

export function SideMenu({ pinned = true, onPin, ...foot }: SideMenuProps) {
  const { operator } = useScope();
  const { unfolded, handlers } = useUnfold();
  const groups = useCurrentEntryInView();
  const wide = pinned || unfolded || onPin === undefined;
  const pin = pinned ? t('Unpin the menu') : t('Pin the menu');
  return (
    <div className={classes.place} data-pinned={pinned || undefined} data-drawer={onPin === undefined || undefined}>
      <nav className={classes.menu} data-wide={wide || undefined} aria-label={t('Menu')} {...(pinned ? {} : handlers)}>
        <div className={classes.brand}>
          <span className={classes.mark} aria-hidden="true">
            R
          </span>
          <span className={classes.label}>{t('Rapport')}</span>
          {onPin !== undefined && wide && (
            <Tooltip label={pin}>
              <ActionIcon variant="subtle" color="gray" aria-label={pin} onClick={onPin}>
                {pinned ? <IconPinnedOff size={16} /> : <IconPin size={16} />}
              </ActionIcon>
            </Tooltip>
          )}
        </div>
        <div className={classes.groups} ref={groups}>
          {menuOf(pages, operator.role).map((group) => (
            <MenuGroup key={group.name} group={group} />
          ))}
        </div>
        <MenuFooter {...foot} />
      </nav>
    </div>
  );
}

/**
 * Scroll the current entry into view when the page changes, and whenever the entries get more or less room: the footer
 * grows after the menu is drawn, and windows change their size.
 */
function useCurrentEntryInView() {
  const groups = useRef<HTMLDivElement>(null);
  const activeKey = useActiveKey();
  useEffect(() => {
    if (activeKey === '' || groups.current === null) return;
    // Also called once at the start, right before the frame: the layout that it needs is then the frame's own.
    const observer = new ResizeObserver(([entry]) =>
      entry?.target.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest' }),
    );
    observer.observe(groups.current);
    return () => observer.disconnect();
  }, [activeKey]);
  return groups;
}

/** Unfold an unpinned menu while the pointer is over it or the keyboard focus is inside. */
function useUnfold() {
  const [unfolded, setUnfolded] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const schedule = (next: boolean, delay: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setUnfolded(next), delay);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    unfolded,
    handlers: {
      onPointerEnter: () => schedule(true, UNFOLD_AFTER_MS),
      onPointerLeave: () => schedule(false, FOLD_AFTER_MS),
      onFocus: (event: FocusEvent) => {
        if (event.target.matches(':focus-visible')) schedule(true, 0);
      },
      onBlur: (event: FocusEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget)) schedule(false, FOLD_AFTER_MS);
      },
    },
  };
}

/** Remember which groups the operator has opened or closed. Other groups keep their default. */
function useGroupOpened(name: string, byDefault: boolean): [opened: boolean, toggle: () => void] {
  const [opened, setOpened] = useLocalStorage<Record<string, boolean>>({
    key: 'rapport-menu-groups',
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const isOpened = opened[name] ?? byDefault;
  return [isOpened, () => setOpened({ ...opened, [name]: !isOpened })];
}

function MenuGroup({ group }: { group: MenuGroupView }) {
  const { company, product } = useScope();
  const activeKey = useActiveKey();
  const [opened, toggle] = useGroupOpened(group.name, true);
  const [settings, toggleSettings] = useGroupOpened(
    'Settings',
    group.settings.some((page) => page.key === activeKey),
  );
  if (group.name === 'main') return <MenuList pages={group.pages} activeKey={activeKey} />;
  const chosen = { Company: company?.name, Product: product?.name, Admin: undefined }[group.name];
  return (
    <section className={classes.group}>
      <button type="button" className={classes.header} aria-expanded={opened} onClick={toggle}>
        <span className={classes.headerText}>
          {t(group.name)}
          {chosen !== undefined && <span className={classes.chosen}> {chosen}</span>}
        </span>
        <IconChevronDown size={14} className={classes.chevron} />
      </button>
      {opened && <MenuList pages={group.pages} activeKey={activeKey} />}
      {opened && group.settings.length > 0 && (
        <>
          <button type="button" className={classes.item} aria-expanded={settings} onClick={toggleSettings}>
            <IconSettings size={18} stroke={1.6} className={classes.icon} />
            <span className={classes.label}>{t('Settings')}</span>
            <IconChevronDown size={14} className={classes.chevron} />
          </button>
          {settings && <MenuList pages={group.settings} activeKey={activeKey} nested />}
        </>
      )}
    </section>
  );
}

function MenuList({
  pages: listed,
  activeKey,
  nested = false,
}: {
  pages: readonly MenuPage[];
  activeKey: string;
  nested?: boolean;
}) {
  const { go } = usePage();
  return (
    <ul className={classes.list} data-nested={nested || undefined}>
      {listed.map(({ key, label, icon: Icon }) => (
        <li key={key}>
          <a
            className={classes.item}
            href={hrefOf(key)}
            aria-current={key === activeKey ? 'page' : undefined}
            onClick={(event) => {
              if (!isPlainClick(event)) return;
              event.preventDefault();
              go(key);
            }}
          >
            <Icon size={18} stroke={1.6} />
            <span className={classes.label}>{t(label)}</span>
            {key === 'inbox' && (
              <span className={classes.count}>
                <Suspense>
                  <NeedsMeBadge />
                </Suspense>
              </span>
            )}
          </a>
        </li>
      ))}
    </ul>
  );
}

function useActiveKey(): string {
  const { key } = usePage();
  return menuKeyOf(key === '' ? startPage() : key);
}
