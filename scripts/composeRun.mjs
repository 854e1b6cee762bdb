// Runs the services of ops/compose/compose.yml except Grafana with podman-compose; a part of `npm run container-check`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSecurity } from './composeSecurity.mjs';
import { checkDashboard } from './dashboardQueries.mjs';
import { command, runStep } from './minimalDebian.mjs';
import { openNamespaces } from './namespaces.mjs';
import { print, SetupError } from './setup.mjs';

const HOST = 'rapport.example';
const SERVICES = ['postgres', 'rapport1', 'rapport2', 'haproxy', 'prometheus'];

/**
 * Configure podman with an image folder of its own, and containers without their own limits: not every machine allows
 * those.
 * @param {string} folder
 * @returns {Record<string, string>} variables for podman and buildah
 */
export function podmanSettings(folder) {
  const storage = join(folder, 'storage.conf');
  writeFileSync(
    storage,
    `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/images"\nrunroot = "${folder}/containers"\n`,
  );
  const hard = /Max open files +\d+ +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? '1024';
  const containers = join(folder, 'containers.conf');
  writeFileSync(
    containers,
    `[containers]\ncgroups = "disabled"\ndefault_ulimits = ["nofile=${hard}:${hard}", "nproc=8192:8192"]\n` +
      `[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n` +
      `[network]\nnetwork_backend = "netavark"\nnetwork_config_dir = "${folder}/networks"\n`,
  );
  mkdirSync(join(folder, 'networks'), { recursive: true });
  return { CONTAINERS_STORAGE_CONF: storage, CONTAINERS_CONF: containers, TMPDIR: folder };
}

/** Replacements for the official images, built from Debian's packages: they do what compose.yml relies on. */
const IMAGE_REPLACEMENTS = {
  postgres: `FROM localhost/services
ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
COPY docker-entrypoint.sh /usr/local/bin/
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]`,
  haproxy: `FROM localhost/services
USER haproxy
STOPSIGNAL SIGUSR1
CMD ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]`,
  prometheus: `FROM localhost/services
RUN install -d -o nobody -g nogroup /prometheus
USER nobody
WORKDIR /prometheus
ENTRYPOINT ["/usr/bin/prometheus"]
CMD ["--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]`,
};
const POSTGRES_ENTRYPOINT = `#!/bin/sh
set -eu
data=/var/lib/postgresql/18/docker
as() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
if [ ! -s "$data/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 0700 "$data"
  chown postgres:postgres /var/lib/postgresql
  as initdb -D "$data" -U "$POSTGRES_USER" --auth-local=trust --auth-host=scram-sha-256 --pwfile="$POSTGRES_PASSWORD_FILE" $POSTGRES_INITDB_ARGS
  echo "host all all all scram-sha-256" >> "$data/pg_hba.conf"
  as pg_ctl -D "$data" -w -o "-c listen_addresses= -k /tmp" start
  as createdb -h /tmp -U "$POSTGRES_USER" "$POSTGRES_DB"
  for script in /docker-entrypoint-initdb.d/*.sh; do PGHOST=/tmp sh "$script"; done
  as pg_ctl -D "$data" -w stop
fi
install -d -o postgres -g postgres /var/run/postgresql
exec setpriv --reuid=postgres --regid=postgres --clear-groups "$@" -D "$data" -c listen_addresses='*'
`;

/**
 * @param {{ folder: string, project: string, system: string, settings: Record<string, string>, image: string }} where
 */
export async function runCompose({ folder, project, system, settings, image }) {
  const compose = join(project, 'ops/compose');
  const text = readFileSync(join(compose, 'compose.yml'), 'utf8');
  const certificatePath = join(compose, 'secrets/certificate.pem');
  const trust = { NODE_EXTRA_CA_CERTS: certificatePath };
  const imageOf = (/** @type {string} */ name) => {
    const found = new RegExp(`image: (\\S+/${name}:\\S+)`).exec(text)?.[1];
    if (found === undefined) throw new SetupError(`compose.yml names no image of ${name}.`);
    return found;
  };
  await runStep('images of the services', () => makeImages(folder, system, settings, imageOf));
  await runStep('secrets.sh and a certificate', async () => {
    await command('sh', ['secrets.sh'], { cwd: compose, quiet: true });
    const certificate = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${HOST}`];
    const pem = await command(
      'openssl',
      [...certificate, '-addext', `subjectAltName=DNS:${HOST}`, '-keyout', '-', '-out', '-'],
      { quiet: true },
    );
    writeFileSync(certificatePath, pem, { mode: 0o444 });
  });

  const space = await openNamespaces(folder, HOST);
  const env = { ...settings, RAPPORT_HOST: HOST };
  const run = (/** @type {string[]} */ program, /** @type {string} */ input = '') =>
    space.run(program, { cwd: compose, env, input });
  try {
    await runStep('podman-compose up', async () => {
      await run(['podman-compose', '-p', 'rapport', 'up', '-d', '--no-build', ...SERVICES]);
      await space.ready(`https://${HOST}/readyz`, trust);
    });
    const container = (/** @type {string} */ name) => `rapport_${name}_1`;
    await runStep('an operator, and signing in through HAProxy', async () => {
      const add = ['node', 'src/access/command.ts', 'add', 'anna'];
      await run(['podman', 'exec', '-i', container('rapport1'), ...add], 'a-long-password\n');
      await space.signIn(`https://${HOST}`, 'anna', 'a-long-password', trust);
    });
    await runStep('as an ordinary user, without capabilities, on a read-only file system', () =>
      checkConfinement(run, container('rapport1'), image),
    );
    await runStep('promtool test rules', () => {
      const rules = ['-v', `${join(project, 'ops/prometheus')}:/rules:ro`, '--entrypoint', 'promtool'];
      const test = [imageOf('prometheus'), 'test', 'rules', '/rules/rules.test.yml'];
      return run(['podman', 'run', '--rm', '--network=none', ...rules, ...test]);
    });
    await runStep('Prometheus scrapes both nodes, has the rules, and answers each query of the dashboard', async () => {
      const inspect = JSON.parse(await run(['podman', 'inspect', container('prometheus')]));
      const [network] = Object.values(inspect[0].NetworkSettings.Networks);
      await checkDashboard(space, `http://${network.IPAddress}:9090`, join(project, 'ops'), 2);
    });
    await checkSecurity({ run, space, base: `https://${HOST}`, trust, compose, folder, project: 'rapport' });
    for (const name of ['rapport1', 'rapport2']) {
      await runStep(`${name} ends by SIGTERM`, async () => {
        const started = performance.now();
        await run(['podman', 'stop', '-t', '15', container(name)]);
        const state = JSON.parse(await run(['podman', 'inspect', container(name)]))[0].State;
        const seconds = (performance.now() - started) / 1000;
        if (state.ExitCode !== 0 || seconds > 10)
          throw new SetupError(`It ended with ${state.ExitCode} after ${seconds.toFixed(1)} s.`);
      });
    }
  } catch (error) {
    for (const name of SERVICES) {
      const log = await run(['podman', 'logs', '--tail', '20', `rapport_${name}_1`]).catch((reason) => reason.message);
      print(`--- ${name}\n${log}`);
    }
    throw error;
  } finally {
    await run(['podman', 'rm', '-f', '-a', '-t', '0']).catch(() => undefined);
    await space.close();
  }
}

/**
 * @param {string} folder
 * @param {string} system
 * @param {Record<string, string>} settings
 * @param {(name: string) => string} imageOf
 */
async function makeImages(folder, system, settings, imageOf) {
  const archive = `${system}.tar`;
  await command('tar', ['-C', system, '-cf', archive, '.']);
  await command('podman', ['import', archive, 'localhost/services'], { env: settings, quiet: true });
  await command('rm', [archive]);
  for (const [name, lines] of Object.entries(IMAGE_REPLACEMENTS)) {
    const context = join(folder, `image-${name}`);
    mkdirSync(context);
    writeFileSync(join(context, 'Containerfile'), lines);
    writeFileSync(join(context, 'docker-entrypoint.sh'), POSTGRES_ENTRYPOINT, { mode: 0o755 });
    await command('buildah', ['bud', '--isolation=chroot', '-t', imageOf(name), context], {
      env: settings,
      quiet: true,
    });
  }
}

/**
 * @param {(program: string[]) => Promise<string>} run
 * @param {string} container
 * @param {string} image
 */
async function checkConfinement(run, container, image) {
  const script = `id -u; grep -E '^(CapEff|NoNewPrivs)' /proc/self/status; touch /app/x 2>&1; touch /tmp/x && echo written`;
  const [uid, capabilities, privileges, refused, written] = (
    await run(['podman', 'exec', container, 'sh', '-c', script])
  ).split('\n');
  const wanted = [
    uid === '1000',
    /^CapEff:\s+0+$/.test(capabilities ?? ''),
    /^NoNewPrivs:\s+1$/.test(privileges ?? ''),
    refused?.includes('Read-only file system'),
    written === 'written',
  ];
  if (wanted.includes(false))
    throw new SetupError(`${image} is not confined: ${[uid, capabilities, privileges, refused, written].join(', ')}`);
}
