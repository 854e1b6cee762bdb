/** Connect an amoCRM account: consent is given in a separate window, and the landing page reports how it ended. */
import { Anchor, Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { z } from 'zod';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { keyOf } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { CONNECTED_CHANNEL, getRedirect, readCrmDirectory, readIntegrationState } from '../amocrmContract.ts';
import { crmIntegrations } from '../contract.ts';

const WINDOW = 'popup,width=760,height=760';
const resultMessage = z.object({ type: z.literal(CONNECTED_CHANNEL), ok: z.boolean() });

interface ConnectDialogState {
  /** URL of the consent page; null while it is requested. */
  url: string | null;
  /** True if the browser blocked the window. */
  blocked: boolean;
  error: Error | null;
}

interface Connecting {
  /** Open the window. Must be called by a click: browsers block windows opened otherwise. */
  start: () => void;
  /** The dialog to render while connecting. */
  dialog: ReactNode;
}

/** @param onConnected called after the cached answers of the pages were invalidated. */
export function useConnecting(companyId: number, onConnected?: () => void): Connecting {
  const cache = useQueryClient();
  const [opening, setOpening] = useState<ConnectDialogState | null>(null);
  const isOpen = opening !== null;

  useEffect(() => {
    if (!isOpen) return;
    // amoCRM's pages cut the link between the two windows; a broadcast channel of our own origin does not need it.
    const channel = new BroadcastChannel(CONNECTED_CHANNEL);
    channel.addEventListener('message', ({ data }) => {
      const message = resultMessage.safeParse(data);
      if (!message.success) return;
      setOpening(null);
      if (!message.data.ok) {
        toast.error(t('amoCRM is not connected. See the other window for the reason.'));
        return;
      }
      toast.success(t('amoCRM is connected'));
      for (const endpoint of [crmIntegrations.list, crmIntegrations.get, readIntegrationState, readCrmDirectory])
        void cache.invalidateQueries({ queryKey: keyOf(endpoint) });
      onConnected?.();
    });
    return () => channel.close();
  }, [isOpen, cache, onConnected]);

  const start = () => {
    const popup = window.open('', 'rapport_amocrm', WINDOW);
    setOpening({ url: null, blocked: popup === null, error: null });
    call(getRedirect, { query: { company_id: companyId } })
      .then(({ url }) => {
        if (popup) popup.location.replace(url);
        setOpening((previous) => previous && { ...previous, url });
      })
      .catch((error: unknown) => {
        popup?.close();
        const failure = error instanceof Error ? error : new Error(String(error));
        setOpening((previous) => previous && { ...previous, error: failure });
      });
  };

  const dialog = opening && (
    <Modal
      opened
      onClose={() => setOpening(null)}
      title={t('Connect amoCRM')}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        {opening.error ? (
          <Failure error={opening.error} onRetry={start} />
        ) : opening.blocked ? (
          <Text size="sm">{t('The browser blocked the window. Open it with this link:')}</Text>
        ) : (
          <Group gap="xs" wrap="nowrap" role="status">
            <Loader size="xs" aria-hidden />
            <Text size="sm">{t('amoCRM asks for your consent in another window. This page waits for it.')}</Text>
          </Group>
        )}
        {opening.url !== null && (
          <Anchor href={opening.url} target="_blank" rel="noopener" size="sm">
            {opening.blocked ? t('Open amoCRM') : t('No window? Open amoCRM')}
          </Anchor>
        )}
        <Text size="sm" c="dimmed">
          {t('Choose the account there and allow access to leads, contacts, pipelines and change notifications.')}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setOpening(null)}>
            {t('Cancel')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
  return { start, dialog };
}
