// Runs Prometheus with our rules, and each query of Grafana's dashboard against it; a part of `npm run
// container-check`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { print, SetupError } from './setup.mjs';

/**
 * @param {import('./namespaces.mjs').Space} space
 * @param {string} prometheus its address
 * @param {string} ops the folder of the files
 * @param {number} nodes how many have to be scraped
 */
export async function checkDashboard(space, prometheus, ops, nodes) {
  const ask = async (/** @type {string} */ path) => JSON.parse(await space.read(`${prometheus}/api/v1/${path}`)).data;
  await space.ready(`${prometheus}/-/ready`);
  for (let tries = 0; ; tries += 1) {
    const { activeTargets } = await ask('targets');
    const up = activeTargets.filter((/** @type {{ health: string }} */ { health }) => health === 'up').length;
    if (up === nodes) break;
    if (tries > 60) throw new SetupError(`Of ${nodes} nodes ${up} are scraped: ${JSON.stringify(activeTargets)}`);
    await pause(1_000);
  }
  const { groups } = await ask('rules');
  const rules = groups.flatMap((/** @type {{ rules: unknown[] }} */ group) => group.rules);
  const inFile = readFileSync(join(ops, 'prometheus/rules.yml'), 'utf8').match(/- alert:/g)?.length;
  if (rules.length !== inFile) throw new SetupError(`Prometheus has ${rules.length} rules of ${inFile}.`);

  const queries = queriesOf(JSON.parse(readFileSync(join(ops, 'grafana/rapport.json'), 'utf8')).panels);
  // An event that has not happened yet has no series, but its metric name is reported.
  const metricNames = Object.keys(await ask('metadata'));
  let answered = 0;
  for (const query of queries) {
    const plain = query.replaceAll('$job', 'rapport').replaceAll('$__rate_interval', '1m');
    const { result } = await ask(`query?query=${encodeURIComponent(plain)}`);
    answered += result.length > 0 ? 1 : 0;
    for (const [name] of plain.matchAll(/\b(?:rapport|process|nodejs)_\w+/g))
      if (!metricNames.includes(name.replace(/_(?:bucket|count|sum)$/, '')))
        throw new SetupError(`The dashboard asks for ${name}, which no node reports: ${query}`);
  }
  print(`           ${queries.length} queries are valid and name metrics that are reported; ${answered} have values`);
}

/**
 * @param {{ targets?: { expr: string }[], panels?: [] }[]} panels
 * @returns {string[]}
 */
function queriesOf(panels) {
  return panels.flatMap(({ targets = [], panels: inner = [] }) => [
    ...targets.map(({ expr }) => expr),
    ...queriesOf(inner),
  ]);
}
