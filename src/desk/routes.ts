import type { Dialogue } from '../conversations/contract.ts';
import { readDialogueOrRefuse } from '../conversations/readDialogue.ts';
import { suggestReply } from '../conversations/suggestReply.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { notify, publish } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { alertRoutes } from './alerts/routes.ts';
import { assignDialogues, markDialoguesDone, reopenDialogues, setReturn, snoozeDialogues } from './changeDesk.ts';
import {
  addNote,
  assignDialogue,
  assignMany,
  countInbox,
  deskRefusals,
  listColleagues,
  listInbox,
  listNotes,
  markDone,
  markManyDone,
  reopenMany,
  reportPresence,
  setReturn as setReturnEndpoint,
  snoozeDialogue,
  snoozeMany,
  suggestReply as suggestReplyEndpoint,
} from './contract.ts';
import {
  findProductOfDialogue,
  type InboxScope,
  insertNote,
  readColleagues,
  readCounts,
  readInbox,
  readNotes,
} from './store.ts';

/** Most notes of a dialogue. */
const MAX_NOTES = 1000;

export function deskRoutes(context: AppContext): Route[] {
  return [
    ...alertRoutes(context),
    ...listRoutes(context),
    ...changeRoutes(context),
    ...noteRoutes(context),
    presenceRoute(context),
    draftRoute(context),
  ];
}

const scopeOf = (
  { id, companies }: { id: number; companies: readonly number[] | null },
  query: { product_id?: number | undefined; company_id?: number | undefined },
): InboxScope => ({ operatorId: id, companies, productId: query.product_id, companyId: query.company_id });

function listRoutes(context: AppContext): Route[] {
  return [
    route(listInbox, async ({ query, caller }) => {
      const { view, page, limit } = query;
      const { rows, total } = await readInbox(context.pool, scopeOf(caller, query), {
        view,
        search: query.search || null,
        limit,
        offset: (page - 1) * limit,
      });
      return ok(200, { items: rows, total, page, limit });
    }),
    route(countInbox, async ({ query, caller }) => ok(200, await readCounts(context.pool, scopeOf(caller, query)))),
    route(listColleagues, async ({ query }) =>
      ok(200, { items: await readColleagues(context.reader, query.product_id) }),
    ),
  ];
}

function changeRoutes(context: AppContext): Route[] {
  const changed = async (id: number, work: Promise<number>): Promise<{ status: 200; body: Dialogue }> => {
    await work;
    return ok(200, await readDialogueOrRefuse(context, id));
  };
  return [
    route(assignDialogue, ({ params: { id }, body, ...writing }) =>
      changed(id, assignDialogues(context, { ids: [id], operatorId: body.operator_id }, writing)),
    ),
    route(snoozeDialogue, ({ params: { id }, body, ...writing }) =>
      changed(id, snoozeDialogues(context, { ids: [id], until: body.until, untilReply: body.until_reply }, writing)),
    ),
    route(markDone, ({ params: { id }, ...writing }) =>
      changed(id, markDialoguesDone(context, { ids: [id] }, writing)),
    ),
    route(setReturnEndpoint, ({ params: { id }, body: { hours }, ...writing }) =>
      changed(id, setReturn(context, { id, hours }, writing)),
    ),
    route(assignMany, async ({ body: { ids, operator_id: operatorId }, ...writing }) =>
      ok(200, { affected: await assignDialogues(context, { ids, operatorId }, writing) }),
    ),
    route(snoozeMany, async ({ body: { ids, until, until_reply: untilReply }, ...writing }) =>
      ok(200, { affected: await snoozeDialogues(context, { ids, until, untilReply }, writing) }),
    ),
    route(reopenMany, async ({ body: { ids }, ...writing }) =>
      ok(200, { affected: await reopenDialogues(context, { ids }, writing) }),
    ),
    route(markManyDone, async ({ body: { ids }, ...writing }) =>
      ok(200, { affected: await markDialoguesDone(context, { ids }, writing) }),
    ),
  ];
}

function noteRoutes(context: AppContext): Route[] {
  return [
    route(listNotes, async ({ params }) => ok(200, { items: await readNotes(context.reader, params.id) })),
    route(addNote, async ({ params: { id: dialogueId }, body: { text }, caller, requestId }) => {
      const stored = await context.transact(async (tx) => {
        const added = await insertNote(tx, { dialogueId, operator: caller.login, text, most: MAX_NOTES });
        if (!added) throw refuse(deskRefusals, 'desk.too_many_notes', { most: MAX_NOTES });
        const { product_id: productId, ...note } = added;
        await recordAuditEntry(tx, {
          caller,
          requestId,
          action: 'noted',
          noun: 'dialogue',
          rowId: dialogueId,
          productId,
        });
        notify(tx, { topic: 'note', product: productId, ids: [dialogueId] });
        return note;
      });
      return ok(201, stored);
    }),
  ];
}

function presenceRoute(context: AppContext): Route {
  return route(reportPresence, async ({ params: { id }, body: { state }, caller: { login } }) => {
    const product = await findProductOfDialogue(context.reader, id);
    if (product === null) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
    await publish(context.reader, { topic: 'presence', product, ids: [id], operator: login, state });
    return ok(204, null);
  });
}

function draftRoute(context: AppContext): Route {
  return route(suggestReplyEndpoint, async ({ params: { id }, ...writing }) => {
    const draft = await suggestReply(context, id, writing);
    switch (draft.kind) {
      case 'written':
        return ok(200, { text: draft.text, run_id: draft.runId });
      case 'nothing_to_answer':
        throw refuse(deskRefusals, 'desk.nothing_to_answer');
      case 'failed':
        throw refuse(deskRefusals, 'desk.no_draft', { reason: draft.reason });
      default:
        return draft satisfies never;
    }
  });
}
