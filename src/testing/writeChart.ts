/** Writes the chart of conversations: `npm run chart`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conversationChart } from './conversationChart.ts';

writeFileSync(join(import.meta.dirname, '../../docs/conversation.md'), conversationChart());
