/** amoCRM in a world: connecting as a person does, and a product whose stages are mapped. */
import { z } from 'zod';
import { getRedirect } from '../crm/amocrmContract.ts';
import { crmIntegration, crmIntegrations, type IntegrationConfig, productIntegrations } from '../crm/contract.ts';
import { listOf } from '../platform/contract.ts';
import type { Client } from './client.ts';
import type { World } from './world.ts';

export const PIPELINE = 50_001;
/** Steps of the emulated pipeline by what they are mapped to. */
export const STEPS = {
  initial: 60_001,
  started: 60_002,
  ongoing: 60_003,
  pending: 60_004,
  refused: 143,
  ignore: 0,
  success: 142,
  failed: 143,
} as const;
/** A step that no stage is mapped to. */
export const UNMAPPED = 60_005;

export const CONFIG: IntegrationConfig = {
  import_enabled: true,
  tg_contact_custom_field_name: 'telegram',
  whatsapp_contact_custom_field_name: 'whatsapp',
  pipelines: [{ is_active: true, pipeline_id: PIPELINE, steps: { ...STEPS } }],
};

/** What the consent page would send back, one decision taken; gives where the browser is sent. */
export async function decide(url: string, decision: 'allow' | 'deny' = 'allow'): Promise<string> {
  const asked = new URL(url);
  const form = new URLSearchParams(asked.search);
  form.set('decision', decision);
  const answer = await fetch(`${asked.origin}/oauth`, { method: 'POST', body: form, redirect: 'manual' });
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`amoCRM stopped: ${answer.status} ${await answer.text()}`);
  return location;
}

/** Begins a connection; gives the address at amoCRM. */
export async function begin(world: World, operator: Client, companyId = world.companyId): Promise<string> {
  const answer = await operator.call(getRedirect, { query: { company_id: companyId } });
  return z.object({ url: z.string() }).parse(answer.body).url;
}

/** The browser comes back. */
export async function landAt(operator: Client, location: string): Promise<{ status: number; text: string }> {
  const { pathname, search } = new URL(location);
  const answer = await operator.fetch(`${pathname}${search}`);
  return { status: answer.status, text: await answer.text() };
}

/** Connects the company's account; gives the integration's id. */
export async function connect(world: World, operator: Client, companyId = world.companyId): Promise<number> {
  const landed = await landAt(operator, await decide(await begin(world, operator, companyId)));
  if (landed.status !== 200) throw new Error(`Not connected: ${landed.text}`);
  const list = await operator.call(crmIntegrations.list, { query: { company_id: [companyId], is_active: [true] } });
  const [found] = listOf(crmIntegration).parse(list.body).items;
  if (!found) throw new Error('There is no integration');
  return found.id;
}

/** Has the world's product use the integration. */
export async function use(
  world: World,
  operator: Client,
  integrationId: number,
  config: IntegrationConfig = CONFIG,
): Promise<void> {
  const body = { product_id: world.productId, crm_integration_id: integrationId, config };
  const answer = await operator.call(productIntegrations.create, { body });
  if (answer.status !== 201) throw new Error(`Not used: ${JSON.stringify(answer.body)}`);
}
