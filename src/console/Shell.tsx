/** The frame around every page: side menu, main area and assistant panel. */
import { ActionIcon, Burger, Button, Drawer, type DrawerRootProps, Text } from '@mantine/core';
import { useDisclosure, useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { IconSparkles } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { AssistantPanel } from '../assistant/pages/AssistantPanel.tsx';
import { AssistantProvider } from '../assistant/pages/AssistantProvider.tsx';
import { useDialogueLive } from '../conversations/pages/applyLiveEvents.ts';
import { t } from '../ui/i18n.ts';
import { usePage } from '../ui/page.ts';
import { PageHeaderSlotProvider } from '../ui/pageHeaderSlot.ts';
import { useScope } from '../ui/scope.ts';
import { useShortcut } from '../ui/shortcuts.ts';
import { NARROW_SCREEN, TOO_NARROW_FOR_PANEL } from '../ui/theme.ts';
import { BudgetNotice } from './BudgetNotice.tsx';
import { useConsoleTools } from './consoleTools.ts';
import { PageView } from './PageView.tsx';
import classes from './Shell.module.css';
import { SideMenu } from './SideMenu.tsx';

const Palette = lazy(() => import('./Palette.tsx'));
const ShortcutList = lazy(() => import('./ShortcutList.tsx'));

const READ_IMMEDIATELY = { getInitialValueInEffect: false };

export function Shell() {
  const { product } = useScope();
  const consoleTools = useConsoleTools();
  return (
    <AssistantProvider productId={product?.id ?? null} everywhere={consoleTools}>
      <Frame />
    </AssistantProvider>
  );
}

function Frame() {
  const narrow = useMediaQuery(NARROW_SCREEN, false, READ_IMMEDIATELY);
  const isPanelDrawer = useMediaQuery(TOO_NARROW_FOR_PANEL, false, READ_IMMEDIATELY);
  const { operator, product, loadingText: waiting } = useScope();
  // Stored per operator, for shared browsers. Closed by default to leave the space to the page.
  const [isPanelDocked, setPanelDocked] = useLocalStorage({
    key: `rapport-assistant-${operator.id}`,
    defaultValue: false,
    ...READ_IMMEDIATELY,
  });
  const [pinned, setPinned] = useLocalStorage({ key: 'rapport-menu-pinned', defaultValue: true, ...READ_IMMEDIATELY });
  const [assistantDrawer, assistant] = useDisclosure(false);
  const [menuDrawer, menu] = useDisclosure(false);
  const [shortcuts, shortcutList] = useDisclosure(false);
  // Mounted when first opened. From then on it handles its key itself.
  const [paletteLoaded, palette] = useDisclosure(false);
  const { key, params } = usePage();
  // Subscribed once for all pages, so that the leads and dialogues they show stay current.
  useDialogueLive(product?.id ?? null);

  const toggleAssistant = () => (isPanelDrawer ? assistant.toggle() : setPanelDocked(!isPanelDocked));
  useShortcut('?', t('Help: the guide and this list'), shortcutList.open);
  useShortcut('mod+k', t('Go to a page, a lead, a product'), palette.open);
  useShortcut('[', t('Pin or unpin the side menu'), () => (narrow ? menu.toggle() : setPinned(!pinned)));
  useShortcut(']', t('Show or hide the assistant panel'), toggleAssistant);

  const { close: closeMenu } = menu;
  // Close the menu drawer when the page changes.
  const pageState = JSON.stringify([key, params]);
  useEffect(() => {
    if (pageState) closeMenu();
  }, [pageState, closeMenu]);

  const assistantVisible = isPanelDrawer ? assistantDrawer : isPanelDocked;
  const sideMenu = {
    assistant: { visible: assistantVisible, toggle: toggleAssistant },
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
        isPanelDocked={isPanelDocked && !isPanelDrawer && waiting === null}
        assistantButton={narrow || assistantVisible ? null : <AssistantButton onOpen={toggleAssistant} />}
        onClose={() => setPanelDocked(false)}
      />
      <SideDrawer name={t('Menu')} opened={narrow && menuDrawer} onClose={menu.close} size="var(--rapport-menu-drawer)">
        <SideMenu {...sideMenu} />
      </SideDrawer>
      <SideDrawer
        name={t('Assistant panel')}
        opened={isPanelDrawer && assistantDrawer}
        onClose={assistant.close}
        position="right"
      >
        <AssistantPanel onClose={assistant.close} />
      </SideDrawer>
      {paletteLoaded && (
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
  isPanelDocked: boolean;
  /** Button in the page header that opens the assistant; null if the assistant is open or has another button. */
  assistantButton: ReactNode;
  onClose: () => void;
}

function Panels({ isPanelDocked, assistantButton, onClose }: PanelsProps) {
  const { company } = useScope();
  const { defaultLayout, onLayoutChanged } = useDefaultLayout({
    id: 'rapport-panels',
    panelIds: ['main', 'assistant'],
    storage: localStorage,
    onlySaveAfterUserInteractions: true,
  });
  return (
    <Group className={classes.panels} {...(isPanelDocked ? { defaultLayout } : {})} onLayoutChanged={onLayoutChanged}>
      <Panel id="main" defaultSize="70%" minSize="50%">
        <main id="page" className={classes.main} tabIndex={-1}>
          {company && <BudgetNotice companyId={company.id} />}
          <div className={classes.page}>
            <PageHeaderSlotProvider value={assistantButton}>
              <PageView />
            </PageHeaderSlotProvider>
          </div>
        </main>
      </Panel>
      {isPanelDocked && (
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
