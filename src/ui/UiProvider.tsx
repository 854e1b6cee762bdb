/** Providers that every browser entry needs: theme, language, queries, dialogs and toasts. */
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import '@fontsource-variable/inter/wght.css';
import './base.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { t } from './i18n.ts';
import { queryClient } from './query.ts';
import { cssVariables, theme } from './theme.ts';
import classes from './UiProvider.module.css';

/** Uses the same key as the script that sets the colour scheme before the first paint. */
const colorScheme = localStorageColorSchemeManager({ key: 'rapport-color-scheme' });

export function UiProvider({ children }: { children: ReactNode }) {
  const { i18n } = useTranslation();
  return (
    <QueryClientProvider client={queryClient}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        colorSchemeManager={colorScheme}
      >
        <ModalsProvider key={i18n.language} labels={{ confirm: t('Confirm'), cancel: t('Cancel') }}>
          {children}
        </ModalsProvider>
        <Notifications
          position="bottom-right"
          limit={4}
          transitionDuration={150}
          classNames={{ root: classes.toasts ?? '' }}
        />
      </MantineProvider>
    </QueryClientProvider>
  );
}
