/** The phones of the demo's leads, with the fault switches and the clock. */
import { Stack, Text } from '@mantine/core';
import { t } from '../../ui/i18n.ts';
import { ClockPanel } from './ClockPanel.tsx';
import { FaultPanel } from './FaultPanel.tsx';
import { KeyPanel } from './KeyPanel.tsx';
import { Phone } from './Phone.tsx';
import { PhoneList } from './PhoneList.tsx';
import { SandboxFrame } from './SandboxFrame.tsx';
import { SessionPanel } from './SessionPanel.tsx';
import classes from './sandbox.module.css';
import { useContact } from './useContact.ts';

export function SandboxPage() {
  const [contactId, open] = useContact();
  return (
    <SandboxFrame
      title={t('Phones')}
      note={t('Sandbox: nothing leaves this machine, and a scripted model answers.')}
      other={{ href: '/sandbox?board', label: 'amoCRM' }}
    >
      <main className={classes.body}>
        <nav className={classes.list} aria-label={t('Leads')}>
          <PhoneList chosen={contactId} onChoose={open} />
        </nav>
        <section className={classes.middle} aria-label={t('Phone')}>
          {contactId === null ? (
            <Text c="dimmed" ta="center" p="xl">
              {t('Choose a lead to open the phone.')}
            </Text>
          ) : (
            <Phone key={contactId} contactId={contactId} />
          )}
        </section>
        <aside className={classes.switches} aria-label={t('Clock, keys, sessions and faults')}>
          <Stack gap="lg">
            <ClockPanel />
            <KeyPanel />
            <SessionPanel />
            <FaultPanel />
          </Stack>
        </aside>
      </main>
    </SandboxFrame>
  );
}
