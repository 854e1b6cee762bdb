/** The sandbox's phone page: a small app of its own, without a session. */
import '../../ui/configureZod.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { UiProvider } from '../../ui/UiProvider.tsx';
import { BoardPage } from './BoardPage.tsx';
import { SandboxPage } from './SandboxPage.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root');
createRoot(root).render(
  <StrictMode>
    <UiProvider>{new URLSearchParams(location.search).has('board') ? <BoardPage /> : <SandboxPage />}</UiProvider>
  </StrictMode>,
);
