import { serveThread } from '../platform/serveThread.ts';
import { renderKind } from './renderKind.ts';
import { fillIn } from './template.ts';

serveThread(renderKind, () => fillIn);
