/** Leads and contacts of the emulated API (fact sheet, 5 and 6). */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { ImpossibleActionError } from '../errors.ts';
import type { World } from '../world.ts';
import { type Admit, type Caller, httpProblem, paged, validationProblem } from './admission.ts';
import { isMatching, orderOf } from './cardQuery.ts';
import { type CardChange, changeCard, createCard, createContact } from './cards.ts';
import type { Card, FieldValue } from './changes.ts';
import { API_USER, CONTACT_FIELDS, type Field, LEAD_FIELDS } from './setup.ts';
import { cardView, contactView } from './views.ts';

const fieldsInput = z
  .array(
    z.object({
      field_id: z.number().int().optional(),
      field_code: z.string().optional(),
      values: z
        .array(
          z.object({
            value: z.union([z.string(), z.number(), z.boolean()]).optional(),
            enum_id: z.number().int().optional(),
            enum_code: z.string().optional(),
          }),
        )
        .nullable(),
    }),
  )
  .nullish();
const cardInput = z.object({
  id: z.number().int().optional(),
  name: z.string().max(255).optional(),
  price: z.number().optional(),
  status_id: z.number().int().optional(),
  pipeline_id: z.number().int().optional(),
  custom_fields_values: fieldsInput,
  request_id: z.union([z.string(), z.number()]).optional(),
  _embedded: z.object({ contacts: z.array(z.looseObject({ id: z.number().int().optional() })).nullish() }).nullish(),
});
type CardInput = z.infer<typeof cardInput>;
const contactInput = z.object({
  id: z.number().int().optional(),
  name: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  custom_fields_values: fieldsInput,
  request_id: z.union([z.string(), z.number()]).optional(),
});
const byId = z.object({ id: z.coerce.number().int() });

/** Lists, reads and writes leads. */
export function cardRoutes(app: FastifyInstance, world: World, admitted: Admit): void {
  const state = world.state.amocrm;
  const withContacts = (query: URLSearchParams) => (query.get('with') ?? '').split(',').includes('contacts');

  app.get(
    '/api/v4/leads',
    admitted((request, reply, caller) => {
      const query = new URL(request.url, caller.base).searchParams;
      const cards = [...state.cards.values()].filter((card) => isMatching(card, query)).toSorted(orderOf(query));
      const views = cards.map((card) => cardView(card, caller.base, withContacts(query)));
      return paged(request, reply, caller, { leads: views });
    }),
  );
  app.get(
    '/api/v4/leads/:id',
    admitted((request, reply, { base }) => {
      const card = state.cards.get(byId.parse(request.params).id);
      // A missing lead is an empty answer, like an empty list.
      if (!card) return reply.code(204).send();
      return reply.send(cardView(card, base, withContacts(new URL(request.url, base).searchParams)));
    }),
  );
  const writeAll = (method: 'POST' | 'PATCH', write: (input: CardInput) => Card) =>
    app.route({
      method,
      url: '/api/v4/leads',
      handler: admitted((request, reply, caller) =>
        written(reply, () => {
          const leads = z
            .array(cardInput)
            .max(250)
            .parse(request.body)
            .map((one, index) => {
              const { id } = write(one);
              const requestId = one.request_id ?? one.id ?? index;
              return { id, request_id: String(requestId), ...selfOf(caller, `leads/${id}`) };
            });
          return { ...selfOf(caller, 'leads'), _embedded: { leads } };
        }),
      ),
    });
  writeAll('POST', (input) => createCard(world, cardOf(input), API_USER));
  writeAll('PATCH', (input) => {
    if (input.id === undefined) throw new ImpossibleActionError('A lead to change has an id');
    return changeCard(world, input.id, cardOf(input), API_USER);
  });
  app.patch(
    '/api/v4/leads/:id',
    admitted((request, reply, caller) => {
      const { id } = byId.parse(request.params);
      if (!state.cards.has(id)) return httpProblem(reply, 404, 'Not Found', 'Lead not found');
      return written(reply, () => {
        const card = changeCard(world, id, cardOf(cardInput.parse(request.body)), API_USER);
        return { id: card.id, updated_at: card.updated_at, ...selfOf(caller, `leads/${card.id}`) };
      });
    }),
  );
}

/** Lists, reads and creates contacts. */
export function contactRoutes(app: FastifyInstance, world: World, admitted: Admit): void {
  const state = world.state.amocrm;
  app.get(
    '/api/v4/contacts',
    admitted((request, reply, caller) => {
      const ids = new URL(request.url, caller.base).searchParams.getAll('filter[id][]').map(Number);
      const found = [...state.contacts.values()].filter((one) => ids.length === 0 || ids.includes(one.id));
      return paged(request, reply, caller, { contacts: found.map((one) => contactView(one, state, caller.base)) });
    }),
  );
  app.get(
    '/api/v4/contacts/:id',
    admitted((request, reply, caller) => {
      const contact = state.contacts.get(byId.parse(request.params).id);
      return contact ? reply.send(contactView(contact, state, caller.base)) : reply.code(204).send();
    }),
  );
  app.post(
    '/api/v4/contacts',
    admitted((request, reply, caller) =>
      written(reply, () => {
        const inputs = z.array(contactInput).max(250).parse(request.body);
        const contacts = inputs.map((one, index) => {
          const { id } = createContact(world, contactOf(one));
          return { id, request_id: String(one.request_id ?? index), ...selfOf(caller, `contacts/${id}`) };
        });
        return { ...selfOf(caller, 'contacts'), _embedded: { contacts } };
      }),
    ),
  );
}

const selfOf = ({ base }: Caller, path: string) => ({ _links: { self: { href: `${base}/api/v4/${path}` } } });

/** Run the write and answer with 400 what amoCRM would refuse. */
function written(reply: FastifyReply, work: () => object): FastifyReply {
  try {
    return reply.send(work());
  } catch (error) {
    if (error instanceof ImpossibleActionError) return validationProblem(reply, 'status_id', error.message);
    if (error instanceof z.ZodError) {
      const [issue] = error.issues;
      return validationProblem(reply, issue?.path.join('.') ?? '', issue?.message ?? 'Invalid');
    }
    throw error;
  }
}

function cardOf({ _embedded, ...input }: CardInput): CardChange {
  const contacts = _embedded?.contacts?.flatMap((one) => one.id ?? []);
  return { ...input, fields: fieldValues(input.custom_fields_values, LEAD_FIELDS), contacts };
}

const contactOf = (input: z.infer<typeof contactInput>) => ({
  ...input,
  fields: fieldValues(input.custom_fields_values, CONTACT_FIELDS),
});

function fieldValues(input: z.infer<typeof fieldsInput>, fields: readonly Field[]): FieldValue[] | undefined {
  return input?.map((one) => {
    const field = fields.find(
      (each) => each.id === one.field_id || (each.code !== null && each.code === one.field_code),
    );
    if (!field) throw new ImpossibleActionError('There is no such field');
    const values = (one.values ?? []).map((each) => {
      const choice = field.enums?.find((option) => option.id === each.enum_id || option.value === each.value);
      const value = each.value ?? choice?.value ?? '';
      const code = each.enum_code ?? (field.type === 'multitext' ? 'WORK' : undefined);
      return {
        value,
        ...(choice ? { enum_id: choice.id } : {}),
        ...(code === undefined ? {} : { enum_code: code }),
      };
    });
    return { field_id: field.id, values };
  });
}
