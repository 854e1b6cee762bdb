/** Endpoint that turns stage detection on with ready-made prompts. */
import { z } from 'zod';
import { endpoint, errorReply, reference } from '../platform/contract.ts';
import { classificationConfig } from './classificationConfigContract.ts';

export const turnOnStageDetection = endpoint({
  operation: 'turnOnStageDetection',
  method: 'POST',
  path: '/v1/products/{id}/stage-detection',
  access: 'session',
  summary: 'Turn stage detection on, with ready-made prompts for those that the product does not have',
  params: z.strictObject({ id: reference('product') }),
  replies: { 201: classificationConfig, 404: errorReply, 409: errorReply },
});
