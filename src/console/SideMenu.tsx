/** The side menu: groups of pages, and at the bottom who works in what. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconChevronDown, IconPin, IconPinnedOff, IconSettings } from '@tabler/icons-react';
import { type FocusEvent, useEffect, useRef, useState } from 'react';
import { opensHere } from '../kit/PageLink.tsx';
import { hrefOf, usePage } from '../kit/page.ts';
import { useScope } from '../kit/scope.ts';
import { t } from '../kit/t.ts';
import { MenuFoot, type MenuFootProps } from './MenuFoot.tsx';
import { type MenuGroupView, type MenuPage, menuOf } from './menu.ts';
import { DEFAULT_PAGE, menuKeyOf, pages } from './registry.ts';
import classes from './SideMenu.module.css';

interface SideMenuProps extends MenuFootProps {
  pinned?: boolean;
  /** Without it the menu stands in a drawer and is always wide. */
  onPin?: () => void;
}

/** A pointer that only passes over does not unfold the menu. */
const UNFOLD_AFTER_MS = 100;
const FOLD_AFTER_MS = 250;

export function SideMenu({ pinned = true, onPin, ...foot }: SideMenuProps) {
  const { operator } = useScope();
  const { unfolded, handlers } = useUnfold();
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
        <div className={classes.groups}>
          {menuOf(pages, operator.role).map((group) => (
            <MenuGroup key={group.name} group={group} />
          ))}
        </div>
        <MenuFoot {...foot} />
      </nav>
    </div>
  );
}

/** Whether a menu that is not pinned is unfolded: by the pointer, or because the keyboard is in it. */
function useUnfold() {
  const [unfolded, setUnfolded] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const soon = (next: boolean, delay: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setUnfolded(next), delay);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    unfolded,
    handlers: {
      onPointerEnter: () => soon(true, UNFOLD_AFTER_MS),
      onPointerLeave: () => soon(false, FOLD_AFTER_MS),
      onFocus: (event: FocusEvent) => {
        if (event.target.matches(':focus-visible')) soon(true, 0);
      },
      onBlur: (event: FocusEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget)) soon(false, FOLD_AFTER_MS);
      },
    },
  };
}

/** Which groups the operator has opened or closed; the others stand as they are by default. */
function useOpened(name: string, byDefault: boolean): [opened: boolean, toggle: () => void] {
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
  const marked = useMarked();
  const [opened, toggle] = useOpened(group.name, true);
  const [settings, toggleSettings] = useOpened(
    'Settings',
    group.settings.some((page) => page.key === marked),
  );
  if (group.name === 'main') return <MenuList pages={group.pages} marked={marked} />;
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
      {opened && <MenuList pages={group.pages} marked={marked} />}
      {opened && group.settings.length > 0 && (
        <>
          <button type="button" className={classes.item} aria-expanded={settings} onClick={toggleSettings}>
            <IconSettings size={18} stroke={1.6} className={classes.icon} />
            <span className={classes.label}>{t('Settings')}</span>
            <IconChevronDown size={14} className={classes.chevron} />
          </button>
          {settings && <MenuList pages={group.settings} marked={marked} nested />}
        </>
      )}
    </section>
  );
}

function MenuList({
  pages: listed,
  marked,
  nested = false,
}: {
  pages: readonly MenuPage[];
  marked: string;
  nested?: boolean;
}) {
  const { go } = usePage();
  const current = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (marked !== '') current.current?.scrollIntoView({ block: 'nearest' });
  }, [marked]);
  return (
    <ul className={classes.list} data-nested={nested || undefined}>
      {listed.map(({ key, label, icon: Icon }) => (
        <li key={key}>
          <a
            ref={key === marked ? current : undefined}
            className={classes.item}
            href={hrefOf(key)}
            aria-current={key === marked ? 'page' : undefined}
            onClick={(event) => {
              if (!opensHere(event)) return;
              event.preventDefault();
              go(key);
            }}
          >
            <Icon size={18} stroke={1.6} />
            <span className={classes.label}>{t(label)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function useMarked(): string {
  const { key } = usePage();
  return menuKeyOf(key === '' ? DEFAULT_PAGE : key);
}
