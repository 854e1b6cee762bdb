/** Order of the side menu: its groups and their pages. Pure. */
import type { PageEntry } from '../ui/pages.ts';

export type MenuPage = Extract<PageEntry, { label: string }>;

export interface MenuGroupView {
  readonly name: Exclude<MenuPage['group'], 'Settings'>;
  readonly pages: readonly MenuPage[];
  /** The collapsible Settings list at the end of the Product group; empty elsewhere. */
  readonly settings: readonly MenuPage[];
}

/**
 * Build the menu. Groups: main first, then Admin, then the rest alphabetically; pages by their `order`. Members have no
 * Admin group.
 */
export function menuOf(pages: readonly PageEntry[], role: 'admin' | 'member'): readonly MenuGroupView[] {
  const inMenu = pages.filter((page): page is MenuPage => page.group !== null);
  const of = (group: MenuPage['group']) =>
    inMenu.filter((page) => page.group === group).sort((a, b) => a.order - b.order);
  const names = [...new Set(inMenu.map((page) => (page.group === 'Settings' ? 'Product' : page.group)))];
  return names
    .filter((name) => name !== 'Admin' || role === 'admin')
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
    .map((name) => ({ name, pages: of(name), settings: name === 'Product' ? of('Settings') : [] }));
}

/** Return the pages that can be opened by name: the menu's pages in menu order, then the lists outside the menu. */
export function pagesByName(
  pages: readonly PageEntry[],
  role: 'admin' | 'member',
): readonly { readonly key: string; readonly label: string }[] {
  const inMenu = menuOf(pages, role).flatMap((group) => [
    ...group.pages,
    // Labels of settings pages are only clear inside their group, so use the titles.
    ...group.settings.map(({ key, title }) => ({ key, label: title })),
  ]);
  const lists = pages.filter(({ key }) => LISTS.has(key));
  return [...inMenu, ...lists.map(({ key, title }) => ({ key, label: title }))];
}

/** Pages outside the menu that open without a row. */
const LISTS: ReadonlySet<string> = new Set(['contacts', 'leads-import']);

function rank(group: string): number {
  if (group === 'main') return 0;
  return group === 'Admin' ? 1 : 2;
}
