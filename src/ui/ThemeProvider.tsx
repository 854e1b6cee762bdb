/** Theme, font and base styles of every page. The styles of components come with their code, see `vite.config.ts`. */
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/global.layer.css';
import '@fontsource-variable/inter/wght.css';
import './base.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { cssVariables, theme } from './theme.ts';

/** Uses the same key as the script that sets the colour scheme before the first paint. */
const colorScheme = localStorageColorSchemeManager({ key: 'rapport-color-scheme' });

export function ThemeProvider({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      colorSchemeManager={colorScheme}
    >
      {children}
    </MantineProvider>
  );
}
