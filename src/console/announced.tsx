/** Pages that the menu and links know already and that are not built yet: one line each, until they are. */
import { IconPlugConnected } from '@tabler/icons-react';
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
    key: 'settings-integration',
    title: 'Integration Settings',
    label: 'Integration',
    group: 'Settings',
    icon: IconPlugConnected,
    order: 3,
    needs: 'product',
  },
];

export const announcedPages: readonly PageEntry[] = announced.map((page) => ({
  ...page,
  component: notBuilt(page.title),
}));
