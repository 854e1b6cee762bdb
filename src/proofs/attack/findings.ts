/**
 * What attackers found on earlier versions, tried again by a member of another company, a thief of a password, another
 * user of the machine. Each attack fails the run if it gets through. Floods of the daily budget: `npm run chaos --
 * --only budget`; texts that block a node: `src/studio/checks/linear.test.ts`;
 * push services, which a sandbox never reaches: `src/platform/outbound.test.ts`.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Budget, writeBudget } from '../../llm/budgetContract.ts';
import { type CompanyLlm, companyLlms } from '../../llm/contract.ts';
import { testCredential } from '../../llm/settingsContract.ts';
import { publish } from '../../platform/notifications.ts';
import { type StudioCase, studioCases } from '../../studio/caseContract.ts';
import type { Client } from '../../testing/client.ts';
import { signInSteps } from '../../testing/signInSteps.ts';
import { webhooks } from '../../webhooks/contract.ts';
import { definePart } from '../harness/command.ts';
import { openLiveStream } from '../harness/liveStream.ts';
import { table } from '../harness/report.ts';
import { withApp } from '../harness/world.ts';
import { type Target, withTarget } from './target.ts';

interface Stage extends Target {
  /** The folder with the database of the product. */
  readonly dataDir: string;
  /** A member of a company of their own. */
  readonly mallory: Client;
  readonly ownCompany: number;
}

/** An attack: its tries, and those of them that got through. */
interface Tries {
  readonly tries: number;
  readonly through: readonly string[];
}

interface Attack {
  readonly finding: string;
  readonly attack: string;
  readonly run: (stage: Stage) => Promise<Tries>;
}

/** Try many things of one kind; `isThrough` says whether one got through. */
async function tryAll<T>(
  all: readonly T[],
  isThrough: (one: T) => Promise<boolean>,
  nameOf: (one: T) => string = String,
): Promise<Tries> {
  const through: string[] = [];
  for (const one of all) if (await isThrough(one)) through.push(nameOf(one));
  return { tries: all.length, through };
}

/** Names and ports that only models may be at, this network, and other ports of public hosts. */
const REFUSED_URLS = [
  'https://models.internal:8443/v1',
  'https://models.internal/',
  'https://10.0.0.9/',
  'https://169.254.169.254/latest/meta-data',
  'https://printer.local/',
  'https://intranet/',
  'https://example.com:22/',
  'https://example.com:8443/',
  'http://example.com/',
  'https://[fd00::1]/',
];

const WEBHOOK_SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

async function listenAfterMove({ pool, world, url, mallory, ownCompany }: Stage): Promise<Tries> {
  const { rows } = await pool.query<{ id: string }>(
    "insert into products (company_id, name) values ($1, 'Moving') returning id",
    [ownCompany],
  );
  const product = Number(rows[0]?.id);
  const owner = await world.operator('new owner', [world.companyId]);
  const received = { mallory: '', owner: '' };
  const close = [
    await openLiveStream({ url: `${url}/v1/live`, cookie: mallory.cookie }, (data) => void (received.mallory += data)),
    await openLiveStream({ url: `${url}/v1/live`, cookie: owner.cookie }, (data) => void (received.owner += data)),
  ];
  await withApp(world, async ({ context: { reader } }) => {
    const note = (dialogue: number) => publish(reader, { topic: 'note', product, ids: [dialogue] });
    await note(111_111);
    await world.waitUntil(() => received.mallory.includes('111111'), 'the company of the product is told');
    await pool.query('update products set company_id = $2 where id = $1', [product, world.companyId]);
    await note(222_222);
    await world.waitUntil(() => received.owner.includes('222222'), 'the new company is told');
  });
  for (const one of close) one();
  return { tries: 1, through: received.mallory.includes('222222') ? ['an event of the new company'] : [] };
}

async function openFiles({ dataDir }: Stage): Promise<Tries> {
  const entries = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
  // The server's sockets and files come and go.
  const modes = entries.flatMap((one) => {
    const stat = lstatSync(join(dataDir, one), { throwIfNoEntry: false });
    return stat && (stat.mode & 0o077) !== 0 ? [`${one} ${(stat.mode & 0o777).toString(8)}`] : [];
  });
  const folder = lstatSync(dataDir).mode & 0o067;
  return { tries: entries.length + 1, through: [...modes, ...(folder === 0 ? [] : ['the folder itself'])] };
}

async function guessFromPorts({ url }: Stage): Promise<Tries> {
  const ports = Array.from({ length: 20 }, (_none, index) => `203.0.113.66:${40_000 + index}`);
  const statuses: number[] = [];
  for (const from of ports) {
    const answer = await fetch(`${url}/v1/auth/login`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json', 'x-forwarded-for': from },
      body: JSON.stringify({ login: 'bystander', password: 'a wrong password' }),
    });
    statuses.push(answer.status);
  }
  const tried = statuses.filter((status) => status === 401).length;
  return { tries: ports.length, through: tried <= 5 ? [] : [`${tried} passwords were tried`] };
}

async function guessCodes({ world }: Stage): Promise<Tries> {
  const steps = signInSteps(() => world);
  const { codes } = await steps.enrol(await world.operator('guarded'));
  let tried = 0;
  const guesses = Array.from({ length: 20 }, (_none, index) => String(index).padStart(6, '0'));
  for (const code of guesses) {
    const { status } = await steps.pass((await steps.enter('guarded')).client, { code });
    if (status !== 429) tried += 1;
    // As if the usual limit of five minutes were over.
    await world.pool.query('delete from login_failures');
  }
  const owner = await steps.pass((await steps.enter('guarded')).client, { recovery_code: codes[0] ?? '' });
  const through = tried <= 5 ? [] : [`${tried} codes were tried`];
  return { tries: guesses.length, through: owner.status === 200 ? through : [...through, 'the owner is locked out'] };
}

/** Send the head of a request unchanged and return the status. */
function sendHead(url: string, lines: readonly string[]): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => void (text += chunk));
    socket.on('error', reject).on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])));
    socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  });
}

const AMBIGUOUS: readonly (readonly string[])[] = [
  ['Host: evil.example'],
  ['Host: 127.0.0.1'],
  ['Authorization: Bearer one', 'Authorization: Bearer two'],
  ['Origin: https://evil.example', 'Origin: https://other.example'],
  ['Content-Type: application/json', 'Content-Type: text/plain'],
  ['Content-Length: 1', 'Content-Length: 2'],
  ['Content-Length: 1', 'Transfer-Encoding: chunked'],
];

/** Post a compressed body and return the status. */
function sendCompressed({ url, cookie }: Stage, encoding: string): Promise<number> {
  const headers = { origin: url, cookie, 'content-type': 'application/json', 'content-encoding': encoding };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/companies/`, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject).end(gzipSync(JSON.stringify({ name: 'Zipped' })));
  });
}

async function tryWebhooks({ mallory, ownCompany }: Stage): Promise<Tries> {
  const statusOf = async (url: string): Promise<number> => {
    const body = { company_id: ownCompany, url, events: ['report.weekly' as const], secret: WEBHOOK_SECRET };
    return (await mallory.call(webhooks.create, { body })).status;
  };
  // Otherwise all could be refused for another reason.
  const control = await statusOf('https://hooks.example.com/rapport');
  if (control !== 201) throw new Error(`A webhook to a public host was answered ${control}`);
  return tryAll(REFUSED_URLS, async (url) => (await statusOf(url)) < 400);
}

/** The sentences with which nothing was sent. */
const NOT_SENT = /not a public address|Only https|at other ports/;

async function tryBaseUrls({ mallory, ownCompany }: Stage): Promise<Tries> {
  const all = [
    ['chatgpt', 'https://models.internal:22/v1'],
    ['gemini', 'http://10.0.0.9/v1'],
    ['anthropic', 'http://printer.local/v1'],
  ] as const;
  const through: string[] = [];
  for (const [vendor, base_url] of all) {
    const credentials = { api_key: 'a-key-of-the-attack' };
    const body = { company_id: ownCompany, vendor, credentials, is_active: true, config: { base_url } };
    const answer = await mallory.call(companyLlms.create, { body });
    // It is stored; its test says that nothing was sent.
    const { id } = answer.body as CompanyLlm;
    const tested = await mallory.call(testCredential, { params: { id }, body: {} });
    const reason = JSON.stringify(tested.body);
    if (!NOT_SENT.test(reason)) through.push(`${base_url}: ${reason}`);
  }
  return { tries: all.length, through };
}

async function keepValues({ mallory, ownCompany, world }: Stage): Promise<Tries> {
  const { body } = await mallory.call(writeBudget, { params: { id: ownCompany }, body: { usd_per_day: 0.0017 } });
  const through = (body as Budget).usd_per_day === 0.0017 ? [] : ['the budget'];
  const writer = await world.operator('case writer', [world.companyId]);
  const history = [{ side: 'user' as const, text: 'Hello' }];
  const created = await writer.call(studioCases.create, { body: { product_id: world.productId, history } });
  const { id, facts } = created.body as StudioCase;
  const now = '2026-01-02T03:04:05Z';
  const changed = await writer.call(studioCases.change, { params: { id }, body: { facts: { ...facts, now } } });
  const stored = (changed.body as StudioCase).facts?.now;
  return { tries: 2, through: stored === '2026-01-02T03:04:05.000Z' ? through : [...through, `the case: ${stored}`] };
}

const ATTACKS: readonly Attack[] = [
  {
    finding: 'a cache of who owns a product',
    attack: "a former owner's member listens to a product that has moved",
    run: listenAfterMove,
  },
  {
    finding: 'exceptions for hosts of models',
    attack: 'webhooks to hosts of models, to this network and to other ports',
    run: tryWebhooks,
  },
  {
    finding: 'exceptions for hosts of models',
    attack: 'base URLs of models to other ports of their host, and to this network',
    run: tryBaseUrls,
  },
  { finding: 'files of the data directory', attack: 'another user reads or locks a file', run: openFiles },
  { finding: 'proxies that write ports', attack: 'each guess of a password from another port', run: guessFromPorts },
  { finding: 'guesses of a second factor', attack: 'the thief of a password guesses codes', run: guessCodes },
  {
    finding: 'headers that say two things',
    attack: 'two hosts, tokens, origins, types or lengths in one request',
    run: ({ url, cookie }) =>
      tryAll(
        AMBIGUOUS,
        async (lines) => {
          const head = ['POST /v1/companies/ HTTP/1.1', `Host: ${new URL(url).host}`, `Cookie: ${cookie}`];
          return (await sendHead(url, [...head, ...lines])) !== 400;
        },
        (lines) => lines.join(', '),
      ),
  },
  {
    finding: 'compressed bodies',
    attack: 'a body in an encoding that is not read',
    run: (stage) => tryAll(['gzip', 'br', 'deflate'], async (one) => (await sendCompressed(stage, one)) !== 415),
  },
  {
    finding: 'values that are changed without a word',
    attack: 'a time without milliseconds, a budget below a cent',
    run: keepValues,
  },
  {
    finding: 'studio cases of others',
    attack: "another company's member reads and changes cases",
    run: ({ mallory, rows }) =>
      tryAll(['GET', 'DELETE', 'PATCH'], async (method) => {
        const init = {
          method,
          ...(method === 'PATCH' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {}),
        };
        return (await mallory.fetch(`${studioCases.list.path}${rows['studio_case'] ?? 1}`, init)).status < 400;
      }),
  },
];

export const findings = definePart({
  heading: 'What attackers found before',
  options: {},
  run: ({ log }) =>
    withTarget(
      async (target) => {
        const { pool, world } = target;
        const { rows } = await pool.query<{ id: string }>(
          "insert into companies (name) values ('Mallory') returning id",
        );
        const ownCompany = Number(rows[0]?.id);
        const directory = await pool.query<{ data_directory: string }>('show data_directory');
        const dataDir = join(directory.rows[0]?.data_directory ?? '', '..');
        const mallory = await world.operator('mallory', [ownCompany]);
        const stage: Stage = { ...target, dataDir, mallory, ownCompany };
        const violations: string[] = [];
        const lines: (string | number)[][] = [];
        for (const { finding, attack, run } of ATTACKS) {
          const { tries, through } = await run(stage);
          for (const one of through) violations.push(`${attack}: ${one}`);
          lines.push([finding, attack, tries, `**${through.length}**`]);
          log(`${attack}: ${through.length} of ${tries} got through`);
        }
        return {
          text: `Findings on earlier versions, tried again by those who could use them.\n\n${table(['finding', 'attack', 'tries', 'got through'], lines)}`,
          violations,
        };
      },
      { RAPPORT_LLM_HOSTS: 'models.internal:8443' },
    ),
});
