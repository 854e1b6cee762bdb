/** Contract of the history that a sandbox simulates for its demo, so that pages say that it is simulated. */
import { z } from 'zod';
import { day, endpoint, errorReply, nameShape, reference } from '../platform/contract.ts';

/** The tag of simulated leads. */
export const SIMULATED_TAG = 'Simulated';

const simulatedHistory = z.object({
  /** Simulated leads of the product. */
  leads: z.int(),
  /** Days of their first and of their newest message, in the time zone of the product. */
  from: day,
  to: day,
});
nameShape('SimulatedHistory', simulatedHistory);

/** Served by the sandbox only. */
export const readSimulatedHistory = endpoint({
  operation: 'getSandboxHistory',
  method: 'GET',
  path: '/sandbox/history',
  access: 'sandbox',
  summary: 'What was simulated of a product from stated rates; null for a product without simulated leads',
  query: z.strictObject({ product_id: reference('product') }),
  replies: { 200: z.object({ history: simulatedHistory.nullable() }), 404: errorReply },
});
