/** Checks what the tools of pages change and how they undo it, against the real server. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { channels, type ProductChannel } from '../channels/contract.ts';
import { readOwnership } from '../channels/ownershipContract.ts';
import { channelTools } from '../channels/pages/channelTools.ts';
import { linkContext } from '../channels/pages/linkContext.ts';
import { companies } from '../companies/contract.ts';
import { dialogues } from '../conversations/contract.ts';
import { dialogueTools, openDialogueTools } from '../conversations/pages/dialogueTools.ts';
import { leads } from '../leads/contract.ts';
import { leadDocuments } from '../leads/documentContract.ts';
import { editingTools, leadListTools, leadPageTools } from '../leads/pages/shared/leadTools.ts';
import { companyLlms } from '../llm/contract.ts';
import { credentialTools } from '../llm/pages/credentialTools.ts';
import { pingConfigs, schedules } from '../outreach/contract.ts';
import { pingUndo, toRequestBody as wireOf } from '../outreach/pages/usePings.ts';
import { scheduleUndo } from '../outreach/pages/useSchedule.ts';
import { products } from '../products/contract.ts';
import { settingsOf } from '../products/pages/settings.ts';
import { bodyOf, settingsUndo } from '../products/pages/settingsUndo.ts';
import { type PromptGroup, preparedMessages, promptGroups, prompts } from '../prompts/contract.ts';
import { preparedTools, preparedView } from '../prompts/pages/preparedTools.ts';
import { promptFieldsTool, promptTools, promptView } from '../prompts/pages/shared/promptTools.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { call } from '../ui/api.ts';
import type { Field, FormValues } from '../ui/form.ts';
import { formTools } from '../ui/formTools.ts';
import { Undoable } from '../ui/pageContext.ts';
import { pageTools, type ToolWithHandler } from '../ui/pageTool.ts';
import type { Draft, ViewRef } from '../ui/undo.ts';
import { search } from './search.ts';

let world: World;
let anna: TestLead;
beforeAll(async () => {
  world = await createWorld();
  const { cookie } = await world.operator();
  const real = globalThis.fetch;
  vi.stubGlobal('fetch', (address: string, init: RequestInit = {}) => {
    if (!address.startsWith('/')) return real(address, init);
    const headers = new Headers(init.headers);
    headers.set('origin', world.url);
    headers.set('cookie', cookie);
    return real(`${world.url}${address}`, { ...init, headers });
  });
  anna = await world.lead('Anna', { dialogue: true });
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await world.close();
});

/** Call a tool that can be undone. Its undo is valid as long as nobody has changed the data since. */
async function use(tools: readonly ToolWithHandler[], name: string, args: Record<string, unknown> = {}) {
  const result = await pageTools(...tools).handlers[name]?.call(args);
  if (!(result instanceof Undoable)) throw new Error(`${name} cannot be taken back`);
  expect(await result.undo.unchanged()).toBe(true);
  return result;
}

const lead = () => call(leads.get, { params: { id: anna.leadId } });

test("undoes a lead's stage, deactivation and edit", async () => {
  const before = await lead();
  const moved = await use(leadListTools(), 'change_stage', { lead_id: anna.leadId, new_stage: 'pending' });
  expect((await lead()).stage).toBe('pending');
  const renamed = await use(editingTools(anna.leadId), 'change_lead', { name: 'Anna B', timezone: 'Asia/Tokyo' });
  const deactivated = await use(leadPageTools(anna.leadId), 'deactivate_lead');
  expect(await lead()).toMatchObject({ name: 'Anna B', timezone: 'Asia/Tokyo', is_active: false });
  for (const { undo } of [deactivated, renamed, moved]) await undo.run();
  const { updated_at: _then, version: _raised, ...after } = await lead();
  expect(before).toMatchObject(after);
  expect(await moved.undo.unchanged()).toBe(false);
  await expect(
    pageTools(...leadPageTools(anna.leadId)).handlers['change_stage']?.call({ new_stage: before.stage }),
  ).rejects.toThrow('already in this stage');
});

test('undoes adding a document', async () => {
  const added = await use(editingTools(anna.leadId), 'add_document', { name: 'Plan', type: 'plan', text: 'Oak.' });
  const found = await call(leadDocuments.list, { query: { lead_id: [anna.leadId] } });
  expect(found.items).toMatchObject([{ name: 'Plan', document: { text_data: 'Oak.' } }]);
  await added.undo.run();
  expect((await call(leadDocuments.list, { query: { lead_id: [anna.leadId] } })).total).toBe(0);
  expect(await added.undo.unchanged()).toBe(false);
});

test('explains from the plan why a lead gets no message', async () => {
  const { handlers } = pageTools(...leadListTools());
  expect(await handlers['why_no_message']?.call({ lead_id: anna.leadId })).toMatchObject({
    lead: { id: anna.leadId, name: 'Anna' },
    why: expect.stringMatching(/\w+/),
    dialogues: [{ dialogue_id: await anna.dialogueId(), answers: 'bot' }],
  });
  await expect(handlers['why_no_message']?.call({ lead_id: 999_999 })).rejects.toThrow();
});

test('undoes taking a dialogue over, unless somebody took it over again', async () => {
  const id = await anna.dialogueId();
  const ownerOf = async () => (await call(dialogues.get, { params: { id } })).owner;
  const first = await use(dialogueTools(), 'set_owner', { dialogue_id: id, owner: 'human' });
  expect(await ownerOf()).toBe('human');
  await first.undo.run();
  expect(await ownerOf()).toBe('bot');
  await use(openDialogueTools(id), 'set_owner', { owner: 'human' });
  expect(await first.undo.unchanged()).toBe(false);
  await expect(pageTools(...openDialogueTools(id)).handlers['set_owner']?.call({ owner: 'human' })).rejects.toThrow();
});

test('undoes switching a channel and a key off', async () => {
  const id = world.whatsapp.id;
  const off = await use(channelTools(true), 'switch_channel', { id, is_active: false });
  expect(await call(channels.get, { params: { id } })).toMatchObject({ is_active: false });
  await off.undo.run();
  expect(await call(channels.get, { params: { id } })).toMatchObject({ is_active: true });
  expect(channelTools(false).map(({ tool }) => tool.name)).toEqual(['check_session', 'resume_first_messages']);

  const [key] = (await call(companyLlms.list, { query: { company_id: [world.companyId] } })).items;
  const params = { id: key?.id ?? 0 };
  const without = await use(credentialTools(), 'switch_credential', { ...params, is_active: false });
  expect(await call(companyLlms.get, { params })).toMatchObject({ is_active: false });
  await without.undo.run();
  expect(await call(companyLlms.get, { params })).toMatchObject({ is_active: true });
});

test('undoes sharing and transferring a channel and its account', async () => {
  const id = world.telegram.id;
  const owners = () => call(readOwnership, { params: { id } });
  const before = await owners();
  const other = (await call(companies.create, { body: { name: 'Boats Ltd' } })).id;
  const account = { id, what: 'account', company_id: other };

  const shared = await use(channelTools(true), 'share_channel', { id, company_id: other });
  expect(await owners()).toEqual({ ...before, shared_company_ids: [other] });
  const stopped = await use(channelTools(true), 'stop_sharing_channel', { id, company_id: other });
  expect(await owners()).toEqual(before);
  await stopped.undo.run();
  await shared.undo.run();
  expect(await owners()).toEqual(before);

  const tools = pageTools(...channelTools(true)).handlers;
  const give = { id, company_id: other, share_with_former_owner: true };
  await expect(tools['set_channel_owner']?.call(give)).rejects.toThrow('account');
  const admitted = await use(channelTools(true), 'share_channel', account);
  const result = await use(channelTools(true), 'set_channel_owner', give);
  expect(await owners()).toEqual({
    ...before,
    company_id: other,
    shared_company_ids: [world.companyId],
    account_shared_company_ids: [other],
  });
  // The account cannot be withdrawn from a company that owns one of its channels, nor the channel from linked products.
  await expect(tools['stop_sharing_channel']?.call(account)).rejects.toThrow();
  await expect(tools['stop_sharing_channel']?.call({ id, company_id: world.companyId })).rejects.toThrow();
  await result.undo.run();
  await admitted.undo.run();
  expect(await owners()).toEqual(before);
  await expect(tools['share_channel']?.call({ id, company_id: world.companyId })).rejects.toThrow(
    'Nothing has changed',
  );
});

test('undoes a warm-up without touching the rest of the config', async () => {
  const id = world.whatsapp.id;
  const configOf = async () => (await call(channels.get, { params: { id } })).config;
  await call(channels.replace, { params: { id }, body: { config: { note: 'ours' } } });
  const stored = await configOf();
  expect(stored).toMatchObject({ note: 'ours' });
  const ramp = { start: 5, step: 3 };
  const warmed = await use(channelTools(true), 'warm_up_channel', { id, ramp });
  expect(await configOf()).toEqual({ ...stored, ramp });
  await warmed.undo.run();
  expect(await configOf()).toEqual(stored);
});

test('undoes changing and deleting a channel link', async () => {
  const channel_id = world.telegram.id;
  const { listProductChannels, removeProductChannel, replaceProductChannel } = await import('../channels/contract.ts');
  const read = async () =>
    (await call(listProductChannels, { query: { product_id: [world.productId], channel_id: [channel_id] } })).items;
  const context = (found: readonly ProductChannel[]) =>
    linkContext(
      world.productId,
      found.map((link) => ({ ...link, id: link.channel_id, channel: null, name: 'Telegram' })),
      {
        save: async (_old, body) => void (await call(replaceProductChannel, { query: { channel_id }, body })),
        remove: async ({ product_id }) =>
          void (await call(removeProductChannel, { query: { product_id, channel_id } })),
        refresh: async () => undefined,
      },
    );
  const before = await read();
  const tools = (found: readonly ProductChannel[]) => {
    const { tools: declared, handlers = {} } = context(found);
    return declared.flatMap((tool) => {
      const handler = handlers[tool.name];
      return handler ? [{ tool, handler }] : [];
    });
  };
  const changed = await use(tools(before), 'change_product_channel', { channel_id, delay_messages_seconds: 7 });
  expect(await read()).toMatchObject([{ config: { ...before[0]?.config, delay_messages_seconds: 7 } }]);
  await changed.undo.run();
  const deleted = await use(tools(before), 'delete_product_channel', { channel_id });
  expect(await read()).toEqual([]);
  await deleted.undo.run();
  expect(await read()).toEqual(before);
  expect(await deleted.undo.unchanged()).toBe(false);
});

test('undoes saving a schedule, follow-ups and product settings', async () => {
  const id = world.productId;
  const day = { is_working_day: true, time_start: '10:00', time_end: '16:00' };
  const days = { '0': day, '1': day, '2': day, '3': day, '4': day, '5': day, '6': day };
  const week = { timezone: 'Asia/Tokyo', days };
  const body = { product_id: id, timezone: week.timezone, config: { days: week.days } };
  const created = await call(schedules.create, { body });
  const none = scheduleUndo(id, null, week);
  expect(await none.unchanged()).toBe(true);
  await none.run();
  expect((await call(schedules.list, { query: { product_id: [id] } })).total).toBe(0);
  expect(await none.unchanged()).toBe(false);
  // A deleted row is created again with another id.
  const deleted = scheduleUndo(id, week, null);
  expect(await deleted.unchanged()).toBe(true);
  await deleted.run();
  const [again] = (await call(schedules.list, { query: { product_id: [id] } })).items;
  expect(again).toMatchObject({ timezone: created.timezone, config: created.config });

  const message = { product_id: id, name: 'Ping', type: 'ping', message: 'Still there?' } as const;
  const { id: text } = await call(preparedMessages.create, { body: message });
  const step = { source: 'prepared_message', after_minutes: 9, prepared_message_id: text, prompt_id: null } as const;
  const steps = [{ ...step, document_type: null }];
  const pings = { is_enabled: true, use_on_no_init_msg_reply: false, steps };
  await call(pingConfigs.create, { body: { product_id: id, ...wireOf(pings) } });
  const unmade = pingUndo(id, null, pings);
  expect(await unmade.unchanged()).toBe(true);
  await unmade.run();
  expect((await call(pingConfigs.list, { query: { product_id: [id] } })).total).toBe(0);
  await call(preparedMessages.remove, { params: { id: text } });

  const product = await call(products.get, { params: { id } });
  const before = settingsOf(product);
  const afterRename = { ...before, name: 'Wardrobes ' };
  await call(products.replace, { params: { id }, body: bodyOf(afterRename, product) });
  const renamed = settingsUndo(product, before, afterRename);
  expect(await renamed.unchanged()).toBe(true);
  await renamed.run();
  const { version: _raised, ...restored } = await call(products.get, { params: { id } });
  expect(product).toMatchObject(restored);
  expect(await renamed.unchanged()).toBe(false);
});

test("undoes a prompt's save by a new version with the former text, unless something else is typed", async () => {
  const promptBody = { product_id: world.productId, name: 'Nudge', type: 'ping', text: 'Before' } as const;
  const saved = await call(prompts.create, { body: promptBody });
  const params = { id: saved.id };
  const view = promptView(saved.id);
  const save = () => call(prompts.replace, { params, body: { ...promptBody, text: 'After', version: saved.version } });
  const done = await use(
    promptTools({ view, saved, changed: true, savesDraft: false, replacing: null, save }),
    'save_prompt',
  );
  const page = { value: 'After', changed: true, set: vi.fn(), onSaved: vi.fn(), onDeleted: vi.fn() };
  view.current = page;
  expect(await done.undo.unchanged()).toBe(false);
  view.current = { ...page, changed: false };
  expect(await done.undo.unchanged()).toBe(true);
  await done.undo.run();
  expect(page.onSaved).toHaveBeenCalledWith(expect.objectContaining({ text: 'Before', version: saved.version + 2 }));
  expect(await done.undo.unchanged()).toBe(false);
});

test("proposes a prompt's text as a diff and undoes it in the editor", async () => {
  const view = promptView(0);
  const put = vi.fn();
  view.current = { value: 'Old', changed: false, set: put, onSaved: vi.fn(), onDeleted: vi.fn() };
  const save = () => Promise.reject(new Error('no'));
  const replacing = '“Mara” is in use now. “Vera” replaces it as soon as it is saved.';
  const tools = promptTools({ view, saved: null, changed: false, savesDraft: true, replacing, save });
  const { handlers } = pageTools(...tools);
  // The proposal in the panel says which prompt it replaces.
  const description = tools.find(({ tool }) => tool.name === 'save_prompt')?.tool.description;
  expect(description).toContain(replacing);
  // And that leads do not get it yet.
  expect(description).toContain('It is saved as a draft');
  expect(handlers['edit_prompt']?.diff?.({ text: 'New' })).toEqual({ before: 'Old', after: 'New' });
  await handlers['edit_prompt']?.call({ text: 'New' });
  expect(put).toHaveBeenCalledWith('New');
  await expect(handlers['save_prompt']?.call({})).rejects.toThrow('Nothing has changed.');
  view.current = null;
});

test('undoes filling in a form', async () => {
  const view: ViewRef<Draft<FormValues>> = { current: null };
  const put = (value: FormValues) => {
    view.current = { value, set: put };
  };
  put({ name: '', type: 'prompt', rag_description: null });
  const filled = await use([promptFieldsTool(view)], 'fill_in_prompt', { name: 'Vera', type: 'ping' });
  expect(view.current?.value).toEqual({ name: 'Vera', type: 'ping', rag_description: null });
  await filled.undo.run();
  expect(view.current?.value).toEqual({ name: '', type: 'prompt', rag_description: null });
  await expect(pageTools(promptFieldsTool(view)).handlers['fill_in_prompt']?.call({})).rejects.toThrow('Nothing');
});

test('undoes creating a prepared message', async () => {
  const body = {
    product_id: world.productId,
    name: 'Hello',
    type: 'initial',
    message: 'Hi',
    is_follow_up: false,
  } as const;
  const save = () => call(preparedMessages.create, { body });
  const { tools, handlers } = preparedTools({
    view: preparedView(0),
    form: { current: null },
    saved: null,
    changed: true,
    save,
  });
  const created = await use(
    tools.flatMap((tool) => {
      const handler = handlers[tool.name];
      return handler ? [{ tool, handler }] : [];
    }),
    'save_message',
  );
  const list = () => call(preparedMessages.list, { query: { product_id: [world.productId] } });
  expect((await list()).total).toBe(1);
  await created.undo.run();
  expect((await list()).total).toBe(0);
});

test('undoes creating and changing a row from its list', async () => {
  const refresh = vi.fn(() => Promise.resolve());
  const fields: Field[] = [
    { kind: 'hidden', name: 'product_id', label: 'Product' },
    { kind: 'text', name: 'name', label: 'Name', required: true },
    { kind: 'textarea', name: 'description', label: 'Description' },
  ];
  const preset = { product_id: world.productId };
  const nameOf = ({ name }: PromptGroup) => name;
  const tools = formTools({ singular: 'group', crud: promptGroups, fields, preset, nameOf, refresh });
  const list = async () => (await call(promptGroups.list, { query: { product_id: [world.productId] } })).items;
  const created = await use(tools, 'create_row', { name: 'Oak' });
  const [group] = await list();
  expect(group).toMatchObject({ name: 'Oak', description: null });
  const changed = await use(tools, 'change_row', { id: group?.id, description: 'All of oak' });
  expect(await list()).toMatchObject([{ name: 'Oak', description: 'All of oak' }]);
  expect(await created.undo.unchanged()).toBe(false);
  await changed.undo.run();
  expect(await list()).toEqual([{ ...group, version: expect.any(Number) }]);
  await created.undo.run();
  expect(await list()).toEqual([]);
  expect(refresh).toHaveBeenCalledTimes(4);
  const { handlers } = pageTools(...tools);
  for (const args of [{ name: '' }, { name: 'Oak', product_id: 1 }, { description: 'nameless' }])
    await expect(handlers['create_row']?.call(args)).rejects.toThrow('The arguments do not fit');
});

test('finds a lead by name and by address', async () => {
  const byName = await search(world.productId, 'Ann');
  expect(byName.leads).toMatchObject([{ id: anna.leadId, name: 'Anna', address: null }]);
  const byAddress = await search(world.productId, anna.address);
  expect(byAddress.leads).toMatchObject([{ id: anna.leadId, address: anna.address }]);
  expect((await search(null, 'Ann')).leads).toEqual([]);
});
