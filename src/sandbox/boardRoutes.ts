import { ok, type Route, route } from '../platform/http/routes.ts';
import { addCard, deleteCard, disconnectClient, moveCard, readBoard } from './boardContract.ts';
import { callEmulators } from './callEmulators.ts';
import type { ControlClient } from './emulators/control.ts';

export function boardRoutes({ amocrm }: Pick<ControlClient, 'amocrm'>): Route[] {
  /** Run the action and answer with the resulting board. */
  const after = async (action: Promise<unknown>) => {
    await callEmulators(action);
    return ok(200, { board: await callEmulators(amocrm.board()) });
  };
  return [
    route(readBoard, () => after(Promise.resolve())),
    route(addCard, ({ body }) => {
      const { person: name, phone, telegram, ...card } = body;
      return after(amocrm.makeCard({ ...card, contact: { name, phone, telegram } }));
    }),
    route(moveCard, ({ params, body }) => after(amocrm.changeCard(params.id, body))),
    route(deleteCard, ({ params }) => after(amocrm.deleteCard(params.id))),
    route(disconnectClient, ({ params }) => after(amocrm.disconnect(params.client_id))),
  ];
}
