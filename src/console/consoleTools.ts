/** The assistant's tools on every page: open another page, search by name, outreach and stage detection of the product. */
import { useMemo } from 'react';
import { z } from 'zod';
import { stageDetectionTool } from '../conversations/pages/shared/stageDetectionTool.ts';
import { GUIDE, guideOf, guideTopics } from '../guide/contract.ts';
import { t } from '../ui/i18n.ts';
import { type CurrentPage, type PageParams, usePage } from '../ui/page.ts';
import type { PageContext } from '../ui/pageContext.ts';
import type { PageEntry } from '../ui/pages.ts';
import { pageTool, pageTools } from '../ui/pageTool.ts';
import { type Scope, useScope } from '../ui/scope.ts';
import { outreachTools } from './outreachTools.ts';
import { pages } from './registry.ts';
import { search } from './search.ts';

type Tools = Required<Pick<PageContext, 'tools' | 'handlers'>>;

/** Parameters that some pages require. */
const PARAMETERS =
  'lead-detail {leadId; blank: a new lead}, prompt-detail {promptId; blank: a new prompt}, prepared-message-detail {messageId; blank: a new one}, crm-lead-contacts and crm-lead-events {leadId, leadName}, crm-contact-dialogues {contactId, contactName}, dialogue-chat {dialogueId, dialogueName}, send-message {contactId, contactName}, crm-integration {integrationId}, settings-product {tab: models, outreach or general}';

/** Return the pages that the operator's role may open. */
export function accessiblePages(
  role: Scope['operator']['role'],
  all: readonly PageEntry[] = pages,
): readonly PageEntry[] {
  return all.filter((page) => page.group !== 'Admin' || role === 'admin');
}

export function consoleTools(
  page: Pick<CurrentPage, 'go'>,
  { operator, company, product }: Pick<Scope, 'operator' | 'company' | 'product'>,
): Tools {
  const accessible = accessiblePages(operator.role);
  const titles = accessible.map((one) => `${one.key} (${t(one.title)})`).join(', ');
  return pageTools(
    ...(product === null ? [] : [...outreachTools(product.id), stageDetectionTool(product.id)]),
    pageTool({
      name: 'open_page',
      description: t('Goes to another page of the console.'),
      input: z.strictObject({
        page: z.enum(accessible.map((one) => one.key)).describe(titles),
        params: z
          .record(z.string().max(50), z.union([z.string().max(500), z.number(), z.boolean()]))
          .optional()
          .describe(PARAMETERS),
      }),
      run: async ({ page: key, params = {} }) => {
        const target = accessible.find((one) => one.key === key);
        if (!target) throw new Error(t('There is no page {{key}}.', { key }));
        if (target.needs === 'product' && product === null) throw new Error(t('No Product Selected'));
        if (target.needs === 'company' && company === null) throw new Error(t('No Company Selected'));
        page.go(key, withoutPageKey(params));
        return { status: 'opened, unless the operator stays to keep unsaved changes', page: t(target.title) };
      },
    }),
    pageTool({
      name: 'find',
      description: t(
        'Finds leads of the product by name or address, and products, pages and topics of the guide by name.',
      ),
      input: z.strictObject({ text: z.string().trim().min(1).max(200) }),
      run: async ({ text }) => {
        const found = await search(product?.id ?? null, text);
        const same = (one: string) => one.toLowerCase().includes(text.toLowerCase());
        return {
          leads: found.leads.map(({ id, name, address }) => ({ lead_id: id, name, address })),
          products: found.products.map(({ id, name }) => ({ product_id: id, name })),
          pages: accessible
            .filter((one) => same(t(one.title)))
            .map((one) => ({ page: one.key, title: t(one.title), guide: guideOf(one.key) })),
          guide: guideTopics
            .filter((one) => same(t(one.title)))
            .map(({ slug, title }) => ({ title: t(title), address: `${GUIDE}${slug}` })),
        };
      },
    }),
  );
}

/** Remove `page` from the parameters, because it would override the page key in the address. */
function withoutPageKey(input: PageParams): PageParams {
  const { page: _page, ...params } = input;
  return params;
}

/** Return the tools that the console offers on every page. */
export function useConsoleTools(): Tools {
  const page = usePage();
  const scope = useScope();
  return useMemo(() => consoleTools(page, scope), [page, scope]);
}
