/** The frame around every page: side menu, main area and assistant panel. */
import { ActionIcon, Burger, Button, Text } from '@mantine/core';
import { useDisclosure, useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { IconBookmark, IconSparkles } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import { AssistantProvider } from '../assistant/pages/AssistantProvider.tsx';
import type { viewTools as ViewTools } from '../companies/pages/shared/viewActions.ts';
import { t } from '../ui/i18n.ts';
import { type ListMenuProps, ListMenuProvider } from '../ui/listMenu.ts';
import { usePage } from '../ui/page.ts';
import { PageHeaderSlotProvider } from '../ui/pageHeaderSlot.ts';
import { SplitView } from '../ui/SplitView.tsx';
import { useScope } from '../ui/scope.ts';
import { useShortcut } from '../ui/shortcuts.ts';
import { startPage } from '../ui/startPage.ts';
import { NARROW_SCREEN, TOO_NARROW_FOR_PANEL, WIDE_ENOUGH_FOR_PANEL } from '../ui/theme.ts';
import { BudgetNotice } from './BudgetNotice.tsx';
import { useConsoleTools } from './consoleTools.ts';
import { PageView } from './PageView.tsx';
import classes from './Shell.module.css';
import { SideMenu } from './SideMenu.tsx';
import { useSession } from './session.ts';

const AssistantPanel = lazy(async () => ({
  default: (await import('../assistant/pages/AssistantPanel.tsx')).AssistantPanel,
}));
const AlertsLive = lazy(() => import('../desk/pages/alerts/AlertsLive.tsx'));
const AlertsBar = lazy(() => import('../desk/pages/alerts/AlertsBar.tsx'));
const GuessNotice = lazy(() => import('./GuessNotice.tsx'));
const NeedsMeBadge = lazy(() => import('../desk/pages/alerts/NeedsMeBadge.tsx'));
const DialogueLive = lazy(() => import('../conversations/pages/DialogueLive.tsx'));
const Palette = lazy(() => import('./Palette.tsx'));
/** Loaded on narrow screens only. */
const SideDrawer = lazy(() => import('./SideDrawer.tsx'));
const ShortcutList = lazy(() => import('./ShortcutList.tsx'));

const SavedViews = lazy(async () => ({
  default: (await import('../companies/pages/shared/SavedViews.tsx')).SavedViews,
}));

/** As large as the button it stands for, so that nothing moves. */
const LoadingViews = () => (
  <Button size="xs" variant="default" disabled aria-label={t('Views')}>
    <IconBookmark size="1rem" aria-hidden />
    <Text span inherit ml="xs" visibleFrom="sm">
      {t('Views')}
    </Text>
  </Button>
);

const READ_IMMEDIATELY = { getInitialValueInEffect: false };

export function Shell() {
  const { company, product } = useScope();
  const consoleTools = useConsoleTools();
  const companyId = company?.id ?? null;
  const viewTools = useViewTools();
  const listMenu = useMemo(
    () =>
      companyId === null
        ? null
        : {
            menu: (props: ListMenuProps) => (
              <Suspense fallback={<LoadingViews />}>
                <SavedViews {...props} />
              </Suspense>
            ),
            tools: (props: ListMenuProps) => viewTools?.(props, companyId) ?? [],
          },
    [companyId, viewTools],
  );
  return (
    <AssistantProvider productId={product?.id ?? null} everywhere={consoleTools}>
      <ListMenuProvider value={listMenu}>
        <Frame />
      </ListMenuProvider>
    </AssistantProvider>
  );
}

/** Load the assistant's tools for saved views, after the page. */
function useViewTools() {
  const [tools, setTools] = useState<typeof ViewTools | null>(null);
  useEffect(() => {
    import('../companies/pages/shared/viewActions.ts').then(
      ({ viewTools }) => setTools(() => viewTools),
      () => undefined,
    );
  }, []);
  return tools;
}

function Frame() {
  const narrow = useMediaQuery(NARROW_SCREEN, false, READ_IMMEDIATELY);
  const isPanelDrawer = useMediaQuery(TOO_NARROW_FOR_PANEL, false, READ_IMMEDIATELY);
  const { operator, product, loadingText: waiting } = useScope();
  const [isPanelDocked, setPanelDocked] = useDockedPanel(operator.id);
  const [pinned, setPinned] = useLocalStorage({ key: 'rapport-menu-pinned', defaultValue: true, ...READ_IMMEDIATELY });
  const [assistantDrawer, assistant] = useDisclosure(false);
  const [menuDrawer, menu] = useDisclosure(false);
  const [shortcuts, shortcutList] = useDisclosure(false);
  // Mounted when first opened. From then on it handles its key itself.
  const [paletteLoaded, palette] = useDisclosure(false);
  const { key, params } = usePage();
  // From then on alerts stay, also while another product is loaded.
  const [isReady, setReady] = useState(waiting === null);
  if (!isReady && waiting === null) setReady(true);

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
      {narrow && (
        <Suspense>
          <SideDrawer name={t('Menu')} opened={menuDrawer} onClose={menu.close} size="var(--rapport-menu-drawer)">
            <SideMenu {...sideMenu} />
          </SideDrawer>
        </Suspense>
      )}
      {isPanelDrawer && <AssistantDrawer opened={assistantDrawer} onClose={assistant.close} />}
      {/* Subscribed once for all pages, so that the leads and dialogues they show stay current. */}
      <Suspense>
        <DialogueLive productId={product?.id ?? null} />
        {isReady && <AlertsLive />}
      </Suspense>
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

/** Return whether the panel is open beside the page: on wide screens until the operator closes it. */
function useDockedPanel(operatorId: number): [isDocked: boolean, setDocked: (isDocked: boolean) => void] {
  const isOpenAtFirst = useMediaQuery(WIDE_ENOUGH_FOR_PANEL, false, READ_IMMEDIATELY);
  // Stored per operator, for shared browsers; null: the operator has not opened or closed it yet.
  const [choice, setChoice] = useLocalStorage<boolean | null>({
    key: `rapport-assistant-${operatorId}`,
    defaultValue: null,
    ...READ_IMMEDIATELY,
  });
  return [choice ?? isOpenAtFirst, setChoice];
}

function AssistantDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Suspense>
      <SideDrawer name={t('Assistant panel')} opened={opened} onClose={onClose} position="right">
        <Suspense>
          <AssistantPanel onClose={onClose} />
        </Suspense>
      </SideDrawer>
    </Suspense>
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
  const { key } = usePage();
  const session = useSession();
  const isGuessed = session.state === 'in' && session.operator.second_factor_guessed === true;
  return (
    <SplitView
      label={t('Width of the assistant panel')}
      storageKey="rapport-panel-width"
      panel={
        isPanelDocked ? (
          <aside className={classes.aside} aria-label={t('Assistant panel')}>
            <Suspense>
              <AssistantPanel onClose={onClose} />
            </Suspense>
          </aside>
        ) : null
      }
    >
      <main id="page" className={classes.main} tabIndex={-1}>
        <Suspense>{isGuessed && <GuessNotice />}</Suspense>
        {company && <BudgetNotice companyId={company.id} />}
        <Suspense>{(key === '' ? startPage() : key) === 'inbox' && <AlertsBar />}</Suspense>
        <div className={classes.page}>
          <PageHeaderSlotProvider value={assistantButton}>
            <PageView />
          </PageHeaderSlotProvider>
        </div>
      </main>
    </SplitView>
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
      <span className={classes.burger}>
        <Burger size="sm" opened={menuOpened} onClick={onMenu} aria-label={t('Menu')} />
        {!menuOpened && (
          <span className={classes.burgerCount}>
            <Suspense>
              <NeedsMeBadge />
            </Suspense>
          </span>
        )}
      </span>
      <Text truncate>{product === null ? t('Rapport') : `${company?.name ?? ''} · ${product.name}`}</Text>
      <ActionIcon variant="subtle" color="gray" aria-label={t('Assistant panel')} onClick={onAssistant}>
        <IconSparkles size={18} />
      </ActionIcon>
    </header>
  );
}
