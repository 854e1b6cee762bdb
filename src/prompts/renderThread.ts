import { serveThread } from '../platform/serveThread.ts';
import { renderKind } from './renderKind.ts';
import { renderTemplate } from './template.ts';

serveThread(renderKind, () => renderTemplate);
