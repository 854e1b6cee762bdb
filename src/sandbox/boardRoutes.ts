import { ok, type Route, route } from '../platform/http/routes.ts';
import { addCard, dragCard, dropCard, readBoard, switchOff } from './boardContract.ts';
import type { ControlClient } from './emulators/control.ts';
import { onEmulators } from './onEmulators.ts';

export function boardRoutes({ amocrm }: Pick<ControlClient, 'amocrm'>): Route[] {
  /** Does it and shows the board as it then stands. */
  const after = async (doing: Promise<unknown>) => {
    await onEmulators(doing);
    return ok(200, { board: await onEmulators(amocrm.board()) });
  };
  return [
    route(readBoard, () => after(Promise.resolve())),
    route(addCard, ({ body }) => {
      const { person: name, phone, telegram, ...card } = body;
      return after(amocrm.makeCard({ ...card, contact: { name, phone, telegram } }));
    }),
    route(dragCard, ({ params, body }) => after(amocrm.changeCard(params.id, body))),
    route(dropCard, ({ params }) => after(amocrm.deleteCard(params.id))),
    route(switchOff, ({ params }) => after(amocrm.disconnect(params.client_id))),
  ];
}
