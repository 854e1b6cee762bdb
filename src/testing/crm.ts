/** amoCRM in a world: connects as an operator does, and maps a product's stages. */
import { z } from 'zod';
import { getRedirect } from '../crm/amocrmContract.ts';
import { crmIntegration, crmIntegrations, type IntegrationConfig, productIntegrations } from '../crm/contract.ts';
import { listReply } from '../platform/contract.ts';
import { submitConsent } from '../sandbox/emulators/submitConsent.ts';
import type { Client } from './client.ts';
import type { World } from './world.ts';

export const PIPELINE = 50_001;
/** Steps of the emulated pipeline by the stage they are mapped to. */
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
/** A step without a mapped stage. */
export const UNMAPPED = 60_005;

export const CONFIG: IntegrationConfig = {
  import_enabled: true,
  tg_contact_custom_field_name: 'telegram',
  whatsapp_contact_custom_field_name: 'whatsapp',
  pipelines: [{ is_active: true, pipeline_id: PIPELINE, steps: { ...STEPS } }],
};

export { submitConsent };

/** Start a connection and return the address at amoCRM. */
export async function startConnection(world: World, operator: Client, companyId = world.companyId): Promise<string> {
  const answer = await operator.call(getRedirect, { query: { company_id: companyId } });
  return z.object({ url: z.string() }).parse(answer.body).url;
}

/** Follow the redirect back to the product. */
export async function followRedirect(operator: Client, location: string): Promise<{ status: number; text: string }> {
  const { pathname, search } = new URL(location);
  const answer = await operator.fetch(`${pathname}${search}`);
  return { status: answer.status, text: await answer.text() };
}

/** Connect the company's account and return the integration's id. */
export async function connectAmocrm(world: World, operator: Client, companyId = world.companyId): Promise<number> {
  const callback = await followRedirect(
    operator,
    await submitConsent(await startConnection(world, operator, companyId)),
  );
  if (callback.status !== 200) throw new Error(`Not connected: ${callback.text}`);
  const list = await operator.call(crmIntegrations.list, { query: { company_id: [companyId], is_active: [true] } });
  const [integration] = listReply(crmIntegration).parse(list.body).items;
  if (!integration) throw new Error('There is no integration');
  return integration.id;
}

/** Link the world's product to the integration. */
export async function connectProduct(
  world: World,
  operator: Client,
  integrationId: number,
  config: IntegrationConfig = CONFIG,
): Promise<void> {
  const body = { product_id: world.productId, crm_integration_id: integrationId, config };
  const answer = await operator.call(productIntegrations.create, { body });
  if (answer.status !== 201) throw new Error(`Not used: ${JSON.stringify(answer.body)}`);
}

/** Hook bodies as shown in the vendor's documentation and as captured. */
export const AMOCRM_SHAPES: readonly string[] = [
  'leads[add][0][id]=1001&leads[add][0][name]=Lead&leads[add][0][status_id]=60001&leads[add][0][price]=0&leads[add][0][responsible_user_id]=11&leads[add][0][last_modified]=1790000000&leads[add][0][modified_user_id]=11&leads[add][0][created_user_id]=11&leads[add][0][date_create]=1790000000&leads[add][0][pipeline_id]=50001&leads[add][0][account_id]=31000777&leads[add][0][custom_fields][0][id]=9001&leads[add][0][custom_fields][0][name]=City&leads[add][0][custom_fields][0][values][0][value]=X&leads[add][0][created_at]=1790000000&leads[add][0][updated_at]=1790000000&account[subdomain]=demo&account[id]=31000777&account[_links][self]=https://demo.amocrm.ru',
  'leads[status][0][id]=1001&leads[status][0][status_id]=60002&leads[status][0][pipeline_id]=50001&leads[status][0][old_status_id]=60001&leads[status][0][old_pipeline_id]=50001&account[subdomain]=demo',
  'leads[responsible][0][id]=1001&leads[responsible][0][old_responsible_user_id]=12&account[id]=31000777',
  'leads[delete][0][id]=1001&leads[delete][0][status_id]=60001&leads[delete][0][pipeline_id]=50001&account[id]=31000777',
  'leads[update][0][id]=1001&leads[update][1][id]=1002&leads[status][0][id]=1003&account[id]=31000777',
  'contacts[update][0][id]=2001&contacts[update][0][type]=contact&contacts[update][0][custom_fields][0][code]=PHONE&contacts[update][0][custom_fields][0][values][0][value]=79990000002&contacts[update][0][custom_fields][0][values][0][enum]=9503&account[id]=31000777',
  'contacts[update][0][id]=2002&contacts[update][0][type]=company&account[id]=31000777',
  'leads[add][0][id]=1004&leads[add][0][custom_fields][0][values][0]=plain&account[id]=31000777',
];
