/** The API document as a page that is readable without scripts. */
import type { OpenApi, OpenApiOperation, OpenApiResponse } from './openapi.ts';
import type { JsonSchema } from './shapes.ts';

const escape = (value: string): string => value.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);
const nameIn = (ref: string): string => ref.split('/').at(-1) ?? '';

/**
 * Render a type as HTML, with links to named schemas: `integer
 * null`, `Lead[]`, `initial
 * started`.
 */
function typeHtml(schema: JsonSchema): string {
  if (typeof schema.$ref === 'string') {
    const name = escape(nameIn(schema.$ref));
    return `<a href="#schema-${name}">${name}</a>`;
  }
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map(typeHtml).join(' | ');
  if ('const' in schema) return escape(JSON.stringify(schema.const));
  if (schema.enum) return escape(schema.enum.map(String).join(' | '));
  if (schema.type === 'array') return `${schema.items ? typeHtml(schema.items) : 'any'}[]`;
  if (schema.type === 'object' && schema.properties)
    return `{${Object.entries(schema.properties)
      .map(([name, one]) => `${escape(name)}: ${typeHtml(one)}`)
      .join(', ')}}`;
  return escape([schema.type ?? 'any'].flat().join(' | '));
}

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

function fieldsHtml(fields: readonly Field[]): string {
  const rows = fields.map(({ name, schema, isRequired }) => {
    const fallback = schema.default === undefined ? '' : `, default ${escape(JSON.stringify(schema.default))}`;
    return `<tr><td><code>${escape(name)}</code></td><td>${typeHtml(schema)}${fallback}</td><td>${isRequired ? 'required' : ''}</td></tr>`;
  });
  return `<table>${rows.join('')}</table>`;
}

const fieldsOf = (schema: JsonSchema): Field[] =>
  Object.entries(schema.properties ?? {}).map(([name, one]) => ({
    name,
    schema: one,
    isRequired: schema.required?.includes(name) ?? false,
  }));

const exampleHtml = (example: unknown): string =>
  example === undefined ? '' : `<pre>${escape(JSON.stringify(example, null, 2))}</pre>`;

type Refusals = OpenApi['components']['responses'];

function replyHtml(status: string, response: OpenApiOperation['responses'][string], refusals: Refusals): string {
  const reply: OpenApiResponse | undefined = '$ref' in response ? refusals[nameIn(response.$ref)] : response;
  const [[media, content] = []] = Object.entries(reply?.content ?? {});
  const type = content
    ? `${typeHtml(content.schema)}${media === 'application/json' ? '' : `, ${escape(media ?? '')}`}`
    : '';
  return `<tr><td><b>${status}</b> ${escape(reply?.description ?? '')}</td><td>${type}${exampleHtml(content?.example)}</td></tr>`;
}

function operationHtml({
  path,
  method,
  operation,
  refusals,
}: {
  path: string;
  method: string;
  operation: OpenApiOperation;
  refusals: Refusals;
}): string {
  const ways = operation.security.map((way) => Object.keys(way).join(' and ') || 'nothing').join(', or ');
  const fields = (operation.parameters ?? []).map(({ name, schema, required }) => ({
    name,
    schema,
    isRequired: required,
  }));
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  const replies = Object.entries(operation.responses).map(([status, reply]) => replyHtml(status, reply, refusals));
  return `<section id="${escape(`${method.toUpperCase()} ${path}`)}">
<h3><b>${method.toUpperCase()}</b> <code>${escape(path)}</code></h3>
<p>${escape(operation.summary)}. <code>${escape(operation.operationId)}</code>. Needs ${ways || 'nothing'}.</p>
${fields.length > 0 ? `<h4>Parameters</h4>${fieldsHtml(fields)}` : ''}
${bodies.map(([media, { schema, example }]) => `<h4>Body, ${escape(media)}</h4><p>${typeHtml(schema)}</p>${exampleHtml(example)}`).join('')}
<h4>Replies</h4><table>${replies.join('')}</table>
</section>`;
}

/** Render the page of a document. */
export function docsHtml(document: OpenApi): string {
  const { info, paths, components, tags } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `<h2 id="tag-${escape(name)}">${escape(name)}</h2>${own.map(({ path, method, operation }) => operationHtml({ path, method, operation, refusals: components.responses })).join('\n')}`;
  });
  const schemas = Object.entries(components.schemas)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(
      ([name, schema]) =>
        `<section id="schema-${escape(name)}"><h3>${escape(name)}</h3>${schema.properties ? fieldsHtml(fieldsOf(schema)) : `<p>${typeHtml(schema)}</p>`}</section>`,
    );
  const menu = tags.map(({ name }) => `<a href="#tag-${escape(name)}">${escape(name)}</a>`).join(' ');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Rapport API</title><style>${STYLE}</style></head>
<body><h1>Rapport API ${escape(info.version)}</h1><p>${escape(info.description)}</p>
<p>The machine-readable form is <a href="/openapi.json">/openapi.json</a>.</p><nav>${menu} <a href="#schemas">Schemas</a></nav>
${groups.join('\n')}
<h2 id="schemas">Schemas</h2>${schemas.join('\n')}</body></html>`;
}

const STYLE = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:920px;margin:2rem auto;padding:0 1rem}
h2{margin:3rem 0 0}h3{font-size:1rem;margin:2rem 0 .25rem;border-top:1px solid #8884;padding-top:1rem}h4{font-size:.875rem;margin:1rem 0 .25rem}
p{margin:.25rem 0}nav a{margin-right:.5rem;white-space:nowrap}code{overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;table-layout:fixed}td{vertical-align:top;padding:.2rem .5rem .2rem 0;border-bottom:1px solid #8882;overflow-wrap:anywhere}
pre{background:#8881;padding:.5rem .75rem;border-radius:8px;overflow:auto;max-height:20rem;margin:.25rem 0;font-size:.8125rem}`;
