import '../kit/start.ts';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { KitProvider } from '../kit/KitProvider.tsx';
import { router } from './router.tsx';
import { watchSession } from './session.ts';

watchSession();

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <KitProvider>
      <RouterProvider router={router} />
    </KitProvider>
  </StrictMode>,
);
