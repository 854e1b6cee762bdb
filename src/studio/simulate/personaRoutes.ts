import type { AppContext } from '../../platform/appContext.ts';
import type { Tx } from '../../platform/db.ts';
import { disconnectSignal } from '../../platform/http/disconnectSignal.ts';
import { resource } from '../../platform/http/resource.ts';
import { ok, type Route, route } from '../../platform/http/routes.ts';
import { refuse } from '../../platform/refuse.ts';
import { requireUsablePatterns } from '../checks/inThread.ts';
import { derivePersonas as derive, type Persona, personaRefusals, personas } from '../personaContract.ts';
import { PERSONA_SOURCE } from '../store/personas.ts';
import { derivePersonas } from './derivePersonas.ts';

type PersonaRequirements = Pick<Persona, 'product_id' | 'requirements'>;

export function personaRoutes(context: AppContext): Route[] {
  const crudRoutes = resource(context, personas, PERSONA_SOURCE);
  const requireUsable = (tx: Tx, { product_id: productId, requirements }: PersonaRequirements) =>
    requireUsablePatterns(context, tx, { productId, requirements });
  return [
    crudRoutes.list,
    crudRoutes.get,
    crudRoutes.create(async (tx, body, { caller }) => {
      await requireUsable(tx, body);
      return { ...body, author: caller.login };
    }),
    ...crudRoutes.replace(async (tx, { before, body }) => {
      if (body.product_id !== before.product_id) throw refuse(personaRefusals, 'persona.product_fixed');
      await requireUsable(tx, body);
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
