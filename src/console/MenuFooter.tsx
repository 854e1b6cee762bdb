/**
 * The bottom of the side menu: the sandbox link, company and product with Change, the assistant toggle and the
 * operator's menu.
 */
import { Button, type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import {
  IconBuilding,
  IconCheck,
  IconDeviceDesktop,
  IconDeviceMobile,
  IconKey,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconShieldLock,
  IconSparkles,
  IconSun,
  IconUser,
} from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { askBeforeLeaving } from '../ui/activeGuards.ts';
import { draftTitlesOf } from '../ui/drafts.ts';
import { t } from '../ui/i18n.ts';
import { usePage } from '../ui/page.ts';
import { useScope } from '../ui/scope.ts';
import classes from './MenuFooter.module.css';
import { OutreachSwitch } from './OutreachSwitch.tsx';
import { endSession } from './session.ts';

const LogOutDialog = lazy(() => import('./LogOutDialog.tsx'));
const ChangePasswordDialog = lazy(() => import('../access/pages/OwnPassword.tsx'));

export interface MenuFooterProps {
  assistant: { visible: boolean; toggle: () => void };
  onShortcuts: () => void;
}

export function MenuFooter({ assistant, onShortcuts }: MenuFooterProps) {
  const { operator, company, product, sandbox, loadingText: waiting, openSelection: change } = useScope();
  const { go } = usePage();
  const placeholder = (words: string) => (waiting === null ? words : '…');
  const [changing, setChanging] = useState(false);
  const [unsaved, setUnsaved] = useState<readonly string[] | null>(null);
  const logOut = () => {
    const drafts = draftTitlesOf(operator.id);
    if (drafts.length > 0) setUnsaved(drafts);
    else askBeforeLeaving(() => void endSession());
  };
  return (
    <div className={classes.foot}>
      {sandbox && (
        <UnstyledButton
          component="a"
          href="/sandbox"
          target="_blank"
          rel="noopener"
          className={classes.row}
          title={t('Nothing leaves this machine. Open the leads’ phones and the clock')}
        >
          <IconDeviceMobile size={18} stroke={1.6} aria-hidden="true" />
          <span className={classes.label}>{t('Sandbox phones')}</span>
        </UnstyledButton>
      )}
      <div className={classes.chosen}>
        <IconBuilding size={18} stroke={1.6} aria-hidden="true" />
        <div className={classes.names}>
          <div className={classes.company}>
            <span className={classes.label} title={company?.name}>
              {company?.name ?? placeholder(t('No company'))}
            </span>
            <Button variant="default" size="compact-xs" onClick={change}>
              {t('Change')}
            </Button>
          </div>
          <div className={classes.product} title={product?.name}>
            {product?.name ?? placeholder(t('No product'))}
          </div>
        </div>
      </div>
      {product ? <OutreachSwitch productId={product.id} /> : waiting !== null && <div className={classes.outreach} />}
      <UnstyledButton className={classes.row} aria-pressed={assistant.visible} onClick={assistant.toggle}>
        <IconSparkles size={18} stroke={1.6} />
        <span className={classes.label}>{t('Master LLM')}</span>
      </UnstyledButton>
      <Menu position="top-start" width="target" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <UnstyledButton className={classes.row} aria-label={t('Account of {{login}}', { login: operator.login })}>
            <IconUser size={18} stroke={1.6} />
            <span className={classes.label}>{operator.login}</span>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <ColorSchemeItems />
          <Menu.Divider />
          <Menu.Item leftSection={<IconKeyboard size={16} />} onClick={onShortcuts}>
            {t('Help and keyboard')}
          </Menu.Item>
          <Menu.Item leftSection={<IconShieldLock size={16} />} onClick={() => go('account')}>
            {t('Account')}
          </Menu.Item>
          <Menu.Item leftSection={<IconKey size={16} />} onClick={() => setChanging(true)}>
            {t('Change password')}
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={logOut}>
            {t('Log out')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {changing && <ChangePasswordDialog onClose={() => setChanging(false)} />}
        {unsaved && <LogOutDialog unsaved={unsaved} onClose={() => setUnsaved(null)} />}
      </Suspense>
    </div>
  );
}

const SCHEMES: readonly { scheme: MantineColorScheme; label: string; icon: typeof IconSun }[] = [
  { scheme: 'light', label: 'Light', icon: IconSun },
  { scheme: 'dark', label: 'Dark', icon: IconMoon },
  { scheme: 'auto', label: 'System', icon: IconDeviceDesktop },
];

function ColorSchemeItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <Menu.Label>{t('Colours')}</Menu.Label>
      <Menu.RadioGroup
        value={colorScheme}
        onChange={(value) => setColorScheme(SCHEMES.find(({ scheme }) => scheme === value)?.scheme ?? 'auto')}
      >
        {SCHEMES.map(({ scheme, label, icon: Icon }) => (
          <Menu.RadioItem
            key={scheme}
            value={scheme}
            checkIcon={<IconCheck size={16} />}
            rightSection={<Icon size={16} />}
          >
            {t(label)}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  );
}
