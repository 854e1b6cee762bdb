/**
 * Disable Zod's JIT. This must be the first import of every browser entry: Zod decides whether it may compile code when
 * a schema is built, and contracts build their schemas as they load. The Content-Security-Policy forbids compiling
 * code.
 */
import { config } from 'zod';

config({ jitless: true });
