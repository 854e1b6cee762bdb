/** Providers that the console and the sandbox need: theme, queries and toasts. */
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { queryClient } from './query.ts';
import { ThemeProvider } from './ThemeProvider.tsx';

const Toasts = lazy(() => import('./Toasts.tsx'));

export function UiProvider({ children }: { children: ReactNode }) {
  return (
    <QueryClientProvider client={queryClient}>
      <ThemeProvider>
        {children}
        <Suspense>
          <Toasts />
        </Suspense>
      </ThemeProvider>
    </QueryClientProvider>
  );
}
