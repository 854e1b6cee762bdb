/** Pages that the menu and links know already and that are not built yet: one line each, until they are. */
import { IconAntenna, IconBell, IconCalendarTime, IconPlugConnected } from '@tabler/icons-react';
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { PageEntry } from '../kit/pages.ts';

const notBuilt = (title: string): LazyExoticComponent<ComponentType> =>
  lazy(async () => {
    const { NotBuilt } = await import('./NotBuilt.tsx');
    return { default: () => <NotBuilt title={title} /> };
  });

/** Distributes over the union, which a plain Omit would merge. */
type WithoutComponent<P> = P extends PageEntry ? Omit<P, 'component'> : never;

const announced: readonly WithoutComponent<PageEntry>[] = [
  {
    key: 'settings-channel',
    title: 'Channel Settings',
    label: 'Channel',
    group: 'Settings',
    icon: IconAntenna,
    order: 2,
    needs: 'product',
  },
  {
    key: 'settings-integration',
    title: 'Integration Settings',
    label: 'Integration',
    group: 'Settings',
    icon: IconPlugConnected,
    order: 3,
    needs: 'product',
  },
  {
    key: 'settings-schedule',
    title: 'Schedule Settings',
    label: 'Schedule',
    group: 'Settings',
    icon: IconCalendarTime,
    order: 4,
    needs: 'product',
  },
  {
    key: 'settings-ping',
    title: 'Ping Settings',
    label: 'Ping',
    group: 'Settings',
    icon: IconBell,
    order: 5,
    needs: 'product',
  },
];

export const announcedPages: readonly PageEntry[] = announced.map((page) => ({
  ...page,
  component: notBuilt(page.title),
}));
