/**
 * Has to be the first import of every browser entry: Zod decides when a schema is built whether it may compile code,
 * which the Content-Security-Policy forbids, and contracts build their schemas as they load.
 */
import { config } from 'zod';

config({ jitless: true });
