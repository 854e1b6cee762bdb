import type { AppContext } from '../../platform/appContext.ts';
import { disconnectSignal } from '../../platform/http/disconnectSignal.ts';
import { resource } from '../../platform/http/resource.ts';
import { ok, type Route, route } from '../../platform/http/routes.ts';
import { refuse } from '../../platform/refuse.ts';
import { requireUsablePatterns } from '../caseRoutes.ts';
import { derivePersonas as derive, personaRefusals, personas } from '../personaContract.ts';
import { PERSONA_SOURCE } from '../store/personas.ts';
import { derivePersonas } from './derivePersonas.ts';

export function personaRoutes(context: AppContext): Route[] {
  const crudRoutes = resource(context, personas, PERSONA_SOURCE);
  return [
    crudRoutes.list,
    crudRoutes.get,
    crudRoutes.create(async (_tx, body, { caller }) => {
      requireUsablePatterns(body.requirements);
      return { ...body, author: caller.login };
    }),
    ...crudRoutes.replace(async (_tx, { before, body }) => {
      if (body.product_id !== before.product_id) throw refuse(personaRefusals, 'persona.product_fixed');
      requireUsablePatterns(body.requirements);
      return body;
    }),
    crudRoutes.remove(),
    route(derive, async ({ body, caller, requestId, reply }) => {
      const { product_id: productId, count } = body;
      const writing = { caller, requestId, signal: disconnectSignal(reply) };
      return ok(201, { items: await derivePersonas(context, { productId, count }, writing) });
    }),
  ];
}
