import { z } from 'zod';

/** A row's version: 1 for a new row, raised by each change. */
export const rowVersion = z.int().positive();
