/** The routes of the API document, as JSON and as a page. */
import { z } from 'zod';
import { endpoint } from '../contract.ts';
import { docsHtml } from './docsPage.ts';
import { type ApiInfo, type OpenApi, openapi } from './openapi.ts';
import { ok, type Route, route } from './routes.ts';

const openapiJson = endpoint({
  operation: 'getOpenapiDocument',
  method: 'GET',
  path: '/openapi.json',
  access: 'document',
  summary: 'This document',
  replies: { 200: z.record(z.string(), z.unknown()) },
});
const docsPage = endpoint({
  operation: 'getDocsPage',
  method: 'GET',
  path: '/docs',
  access: 'document',
  media: 'text/html',
  summary: 'This document as a page',
  replies: { 200: z.string() },
});

/** Return the routes that serve the document of `routes` and of themselves. */
export function documentRoutes(routes: readonly Route[], info: ApiInfo): Route[] {
  let cached: { document: OpenApi; html: string } | null = null;
  const docRoutes: Route[] = [
    route(openapiJson, async () => ok(200, { ...read().document })),
    route(docsPage, async () => ok(200, read().html)),
  ];
  // Generated on the first request, so that startup does not pay for it.
  const read = () => {
    if (!cached) {
      const document = openapi(
        [...routes, ...docRoutes].map((one) => one.endpoint),
        info,
      );
      cached = { document, html: docsHtml(document) };
    }
    return cached;
  };
  return docRoutes;
}
