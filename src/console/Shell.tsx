/** The frame around every page: side menu, main area, assistant panel. */
import { ActionIcon, Burger, Button, Drawer, type DrawerRootProps, Text } from '@mantine/core';
import { useDisclosure, useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { IconSparkles } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { AssistantPanel } from '../assistant/pages/AssistantPanel.tsx';
import { AssistantProvider } from '../assistant/pages/AssistantProvider.tsx';
import { useDialogueLive } from '../dialogues/pages/live.ts';
import { FrameHeadProvider } from '../kit/frameHead.ts';
import { useShortcut } from '../kit/keys.ts';
import { usePage } from '../kit/page.ts';
import { useScope } from '../kit/scope.ts';
import { t } from '../kit/t.ts';
import { NARROW, NO_ROOM_BESIDE } from '../kit/theme.ts';
import { BudgetNotice } from './BudgetNotice.tsx';
import { useConsoleTools } from './consoleTools.ts';
import { PageView } from './PageView.tsx';
import classes from './Shell.module.css';
import { SideMenu } from './SideMenu.tsx';

const Palette = lazy(() => import('./Palette.tsx'));
const ShortcutList = lazy(() => import('./ShortcutList.tsx'));

const AT_ONCE = { getInitialValueInEffect: false };

export function Shell() {
  const { product } = useScope();
  const everywhere = useConsoleTools();
  return (
    <AssistantProvider productId={product?.id ?? null} everywhere={everywhere}>
      <Frame />
    </AssistantProvider>
  );
}

function Frame() {
  const narrow = useMediaQuery(NARROW, false, AT_ONCE);
  const crowded = useMediaQuery(NO_ROOM_BESIDE, false, AT_ONCE);
  const { operator, product, waiting } = useScope();
  // Each operator of a shared browser has it as he left it; at first it leaves the room to the page.
  const [beside, setBeside] = useLocalStorage({
    key: `rapport-assistant-${operator.id}`,
    defaultValue: false,
    ...AT_ONCE,
  });
  const [pinned, setPinned] = useLocalStorage({ key: 'rapport-menu-pinned', defaultValue: true, ...AT_ONCE });
  const [assistantDrawer, assistant] = useDisclosure(false);
  const [menuDrawer, menu] = useDisclosure(false);
  const [shortcuts, shortcutList] = useDisclosure(false);
  // From its first opening on it listens to its key itself.
  const [searched, palette] = useDisclosure(false);
  const { key, params } = usePage();
  // Once for all pages: whatever they show of the product's leads and dialogues stays up to date.
  useDialogueLive(product?.id ?? null);

  const toggleAssistant = () => (crowded ? assistant.toggle() : setBeside(!beside));
  useShortcut('?', t('Help: the guide and this list'), shortcutList.open);
  useShortcut('mod+k', t('Go to a page, a lead, a product'), palette.open);
  useShortcut('[', t('Pin or unpin the side menu'), () => (narrow ? menu.toggle() : setPinned(!pinned)));
  useShortcut(']', t('Show or hide the assistant panel'), toggleAssistant);

  const { close: closeMenu } = menu;
  // A drawer has done its work when the page behind it changes.
  const place = JSON.stringify([key, params]);
  useEffect(() => {
    if (place) closeMenu();
  }, [place, closeMenu]);

  const shown = crowded ? assistantDrawer : beside;
  const sideMenu = {
    assistant: { shown, toggle: toggleAssistant },
    onShortcuts: shortcutList.open,
  };
  return (
    <div className={narrow ? classes.stacked : classes.shell}>
      <a href="#page" className={classes.skip}>
        {t('Skip to the page')}
      </a>
      {narrow ? (
        <TopBar menuOpened={menuDrawer} onMenu={menu.toggle} onAssistant={toggleAssistant} />
      ) : (
        <SideMenu {...sideMenu} pinned={pinned} onPin={() => setPinned(!pinned)} />
      )}
      <Panels
        beside={beside && !crowded && waiting === null}
        opener={narrow || shown ? null : <AssistantButton onOpen={toggleAssistant} />}
        onClose={() => setBeside(false)}
      />
      <SideDrawer name={t('Menu')} opened={narrow && menuDrawer} onClose={menu.close} size="var(--rapport-menu-drawer)">
        <SideMenu {...sideMenu} />
      </SideDrawer>
      <SideDrawer
        name={t('Assistant panel')}
        opened={crowded && assistantDrawer}
        onClose={assistant.close}
        position="right"
      >
        <AssistantPanel onClose={assistant.close} />
      </SideDrawer>
      {searched && (
        <Suspense>
          <Palette />
        </Suspense>
      )}
      {shortcuts && (
        <Suspense>
          <ShortcutList onClose={shortcutList.close} />
        </Suspense>
      )}
    </div>
  );
}

interface SideDrawerProps extends Pick<DrawerRootProps, 'opened' | 'onClose' | 'size' | 'position'> {
  name: string;
  children: ReactNode;
}

function SideDrawer({ name, children, ...root }: SideDrawerProps) {
  return (
    <Drawer.Root {...root}>
      <Drawer.Overlay backgroundOpacity={0.35} />
      <Drawer.Content aria-label={name}>
        <Drawer.Body p={0} h="100%">
          {children}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

function AssistantButton({ onOpen }: { onOpen: () => void }) {
  return (
    <Button
      size="xs"
      variant="light"
      leftSection={<IconSparkles size={16} />}
      aria-label={t('Assistant panel')}
      aria-expanded={false}
      onClick={onOpen}
    >
      {t('Assistant')}
    </Button>
  );
}

interface PanelsProps {
  beside: boolean;
  /** The button that opens the assistant, in the head of the page; null: it is open, or opened elsewhere. */
  opener: ReactNode;
  onClose: () => void;
}

function Panels({ beside, opener, onClose }: PanelsProps) {
  const { company } = useScope();
  const { defaultLayout, onLayoutChanged } = useDefaultLayout({
    id: 'rapport-panels',
    panelIds: ['main', 'assistant'],
    storage: localStorage,
    onlySaveAfterUserInteractions: true,
  });
  return (
    <Group className={classes.panels} {...(beside ? { defaultLayout } : {})} onLayoutChanged={onLayoutChanged}>
      <Panel id="main" defaultSize="70%" minSize="50%">
        <main id="page" className={classes.main} tabIndex={-1}>
          {company && <BudgetNotice companyId={company.id} />}
          <div className={classes.page}>
            <FrameHeadProvider value={opener}>
              <PageView />
            </FrameHeadProvider>
          </div>
        </main>
      </Panel>
      {beside && (
        <>
          <Separator className={classes.separator} aria-label={t('Width of the assistant panel')} />
          <Panel id="assistant" defaultSize="30%" minSize="25%" maxSize="50%">
            <aside className={classes.aside} aria-label={t('Assistant panel')}>
              <AssistantPanel onClose={onClose} />
            </aside>
          </Panel>
        </>
      )}
    </Group>
  );
}

interface TopBarProps {
  menuOpened: boolean;
  onMenu: () => void;
  onAssistant: () => void;
}

function TopBar({ menuOpened, onMenu, onAssistant }: TopBarProps) {
  const { company, product } = useScope();
  return (
    <header className={classes.top}>
      <Burger size="sm" opened={menuOpened} onClick={onMenu} aria-label={t('Menu')} />
      <Text truncate>{product === null ? t('Rapport') : `${company?.name ?? ''} · ${product.name}`}</Text>
      <ActionIcon variant="subtle" color="gray" aria-label={t('Assistant panel')} onClick={onAssistant}>
        <IconSparkles size={18} />
      </ActionIcon>
    </header>
  );
}
