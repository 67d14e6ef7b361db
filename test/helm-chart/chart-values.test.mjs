// Values of the chart, each at the object that it changes.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { load } from 'js-yaml';
import {
  byName,
  chart,
  containerOf,
  DEFAULTS,
  environmentOf,
  EVERY_VALUE,
  helm,
  here,
  podOf,
  render,
  template,
} from './render.mjs';
import { renderWithSecret } from './kubernetes-api.mjs';

const read = (path) => readFileSync(join(chart, path), 'utf8');
const withDefaults = (...settings) => [...DEFAULTS, ...settings.flatMap((it) => ['--set', it])];
const everywhere = (objects) => ['api', 'worker', 'web'].map((it) => objects[`Deployment ${it}`]);

/** Paths of all values that are no free text: maps of labels, settings and parts of Kubernetes' objects have no keys of ours. */
function pathsOf(schema, definitions, path = '') {
  const { properties } = schema.$ref ? definitions[schema.$ref.split('/').at(-1)] : schema;
  if (!properties || schema.$ref) return [path];
  return Object.entries(properties).flatMap(([name, it]) => pathsOf(it, definitions, `${path}/${name}`));
}

describe('values.schema.json', () => {
  const schema = JSON.parse(read('values.schema.json'));
  const values = load(read('values.yaml'));

  it('knows the values of values.yaml, and no other but Helm’s own `global`', () => {
    const known = pathsOf(schema, schema.definitions).filter((it) => it !== '/global');
    const missing = known.filter(
      (path) =>
        path
          .slice(1)
          .split('/')
          .reduce((value, name) => value?.[name], values) === undefined,
    );
    assert.deepEqual(missing, []);
    // an unknown one in values.yaml is refused by each rendering, as the next test shows
  });

  for (const [value, message] of [
    ['replica=3', /Additional property replica is not allowed/],
    ['api.extraEnvs=x', /api: Additional property extraEnvs is not allowed/],
    ['networkPolicy.egress.enable=true', /egress: Additional property enable is not allowed/],
    ['ingress.controller=ngnix', /ingress\.controller/],
    ['image.digest=1234', /image\.digest/],
    ['settings.publicUrl=x', /settings/],
    ['api.replicas=many', /api\.replicas/],
    ['ca.configMap=a,ca.secret=b', /name a ConfigMap or a Secret/],
    ['worker.enabled=true,settings.ROLES=api', /settings\.ROLES: worker\.enabled sets the roles/],
    ['ingress.enabled=true', /needs ingress\.apiHost or ingress\.webHost/],
    ['httpRoute.enabled=true', /needs httpRoute\.parentRefs/],
  ]) {
    it(`refuses ${value}`, () => {
      const { status, stderr } = template(...withDefaults(value));
      assert.notEqual(status, 0);
      assert.match(stderr, message);
    });
  }
});

describe('Values of the chart', () => {
  it('splits the roles between two Deployments of one release, and the worker takes what it leaves out from the API', () => {
    const objects = render(EVERY_VALUE);
    const [api, worker] = everywhere(objects);
    assert.deepEqual(
      [api, worker].map((it) => environmentOf(it).ROLES),
      ['api', 'dispatcher,monitor'],
    );
    assert.equal(worker.spec.replicas, 1);
    assert.deepEqual(containerOf(worker).resources, {
      requests: { cpu: '500m', memory: '512Mi' },
      limits: { memory: '1Gi' },
    });
    assert.deepEqual(podOf(worker).affinity, podOf(api).affinity);
    assert.deepEqual(objects['ServiceMonitor api'].spec.selector.matchExpressions[0].values, [
      'api',
      'worker',
    ]);
    assert.deepEqual(
      objects['Service worker'].spec.ports.map(({ name }) => name),
      ['metrics'],
    );
    assert.equal(environmentOf(render(DEFAULTS)['Deployment api']).ROLES, undefined);
  });

  it('gives every pod the image by its digest, the account, the authorities, and its own extras', () => {
    const objects = render(EVERY_VALUE);
    for (const object of [...everywhere(objects), objects['Job migrate']]) {
      const pod = podOf(object);
      const container = containerOf(object);
      assert.match(container.image, /^registry\.example\.com\/agent-control-plane@sha256:[0-9a-f]{64}$/);
      assert.match(pod.serviceAccountName, object.kind === 'Job' ? /^control-plane-migrate$/ : /^fleet$/);
      assert.equal(environmentOf(object).NODE_EXTRA_CA_CERTS, '/etc/control-plane/ca/all.pem');
      const mounts = Object.fromEntries(container.volumeMounts.map((it) => [it.name, it.mountPath]));
      const volumes = pod.volumes.map(({ name }) => name);
      assert.equal(mounts.ca, '/etc/control-plane/ca');
      assert.equal(mounts.certificates, '/certificates');
      assert.deepEqual(volumes.sort(), Object.keys(mounts).sort());
      assert.ok(container.envFrom.some(({ configMapRef }) => configMapRef?.name === 'more-settings'));
      assert.equal(
        container.env.at(-1).name,
        object === objects['Deployment web'] || object.kind === 'Job' ? 'LOG_LEVEL' : 'SETUP_TOKEN',
      );
      assert.equal(pod.initContainers[0].name, 'wait');
      assert.equal(pod.priorityClassName, 'high');
      assert.ok(pod.affinity.nodeAffinity);
      const { labels } = object.spec.template.metadata;
      assert.equal(labels['example.com/zone'], 'inner');
      assert.equal(labels['example.com/owner'], 'platform');
    }
    const withoutAccount = render(withDefaults('serviceAccount.create=false'));
    assert.equal(podOf(withoutAccount['Job migrate']).serviceAccountName, 'default');
    assert.equal(withoutAccount['ServiceAccount servers'], undefined);
  });

  it('puts the dashboard below the path of its address, and strips that of the API', () => {
    const below = (path) => ({ path: { type: 'PathPrefix', value: path } });
    const routesOf = (objects) =>
      ['api', 'web']
        .map((it) => objects[`HTTPRoute ${it}`].spec.rules[0])
        .map(({ matches, filters }) => [matches, filters]);
    const pathsOfIngress = (objects) =>
      objects['Ingress servers'].spec.rules.map(({ http }) => http.paths[0].path);
    const atRoot = render(EVERY_VALUE);
    assert.deepEqual(pathsOfIngress(atRoot), ['/', '/']);
    assert.deepEqual(routesOf(atRoot), [
      [[below('/')], undefined],
      [[below('/')], undefined],
    ]);
    const shared = render([
      ...EVERY_VALUE,
      ...['--set', 'settings.PUBLIC_URL=https://company.example/agents-api'],
      ...['--set', 'settings.WEB_PUBLIC_URL=https://company.example/agents/'],
    ]);
    assert.deepEqual(pathsOfIngress(shared), ['/', '/agents']);
    const urlRewrite = { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } };
    assert.deepEqual(routesOf(shared), [
      [[below('/agents-api')], [{ type: 'URLRewrite', urlRewrite }]],
      [[below('/agents')], undefined],
    ]);
  });

  it('lets requests wait at the proxies for longer than a poll takes, and streams pass unbuffered', () => {
    const objects = render(EVERY_VALUE);
    const { annotations } = objects['Ingress servers'].metadata;
    assert.equal(annotations['nginx.ingress.kubernetes.io/proxy-read-timeout'], '90');
    assert.equal(annotations['nginx.ingress.kubernetes.io/proxy-buffering'], 'off');
    assert.equal(annotations['nginx.ingress.kubernetes.io/proxy-body-size'], '8m');
    assert.equal(annotations['cert-manager.io/cluster-issuer'], 'letsencrypt');
    const { timeoutSeconds } = load(read('values.yaml')).ingress;
    const { paths } = JSON.parse(readFileSync(resolve(here, '../../openapi.json'), 'utf8'));
    const wait = paths['/agents/commands'].get.parameters.find(({ name }) => name === 'wait');
    const longestPoll = wait.schema.maximum;
    assert.ok(timeoutSeconds > longestPoll);
    assert.deepEqual(
      ['api', 'web'].map((it) => objects[`HTTPRoute ${it}`].spec.rules[0].timeouts.request),
      ['0s', '0s'],
    );
    const backends = objects['Ingress servers'].spec.rules.map(
      ({ http }) => http.paths[0].backend.service.name,
    );
    assert.deepEqual(backends, ['control-plane-api', 'control-plane-web']);
    for (const component of ['api', 'web'])
      assert.equal(objects[`Service ${component}`].metadata.name, `control-plane-${component}`);
  });

  it('bounds what the service may call, and keeps the migration to its database', () => {
    const values = withDefaults(
      'networkPolicy.egress.enabled=true',
      'networkPolicy.egress.database.to[0].ipBlock.cidr=10.1.2.3/32',
      'networkPolicy.egress.extra[0].ports[0].port=4318',
    );
    const objects = render(values);
    const portsOf = (name) =>
      objects[`NetworkPolicy ${name}`].spec.egress.map(({ ports }) => ports.map(({ port }) => port));
    assert.deepEqual(portsOf('api'), [[53, 53], [5432], [80, 443], [4318]]);
    assert.deepEqual(portsOf('migrate'), [[53, 53], [5432]]);
    const [, database, internet] = objects['NetworkPolicy api'].spec.egress;
    assert.deepEqual(database.to, [{ ipBlock: { cidr: '10.1.2.3/32' } }]);
    assert.ok(internet.to[0].ipBlock.except.includes('169.254.0.0/16'));
    assert.equal(render(DEFAULTS)['NetworkPolicy api'].spec.egress, undefined);
  });

  it('brings the alert rules and the dashboard of the repository along', () => {
    const objects = render(EVERY_VALUE);
    const { groups } = load(readFileSync(resolve(here, '../../deploy/prometheus/alerts.yaml'), 'utf8'));
    assert.deepEqual(objects['PrometheusRule api'].spec.groups, groups);
    assert.equal(
      objects['ConfigMap api'].data['control-plane.json'],
      readFileSync(resolve(here, '../../deploy/grafana/control-plane.json'), 'utf8'),
    );
    assert.equal(objects['ConfigMap api'].metadata.labels.grafana_dashboard, '1');
  });

  it('brings them along in its package, too, where the chart only links to them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'chart-'));
    try {
      const { status, stderr } = helm('package', chart, '--destination', folder);
      assert.equal(status, 0, stderr);
      const [name] = readdirSync(folder);
      const options = ['--kube-version', 'v1.30.0', ...EVERY_VALUE];
      const { stdout } = helm('template', 'acp', join(folder, name), ...options);
      assert.deepEqual(byName(stdout), render(EVERY_VALUE));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('lets the pod of `helm test` reach both servers through the network policies', () => {
    const objects = render(DEFAULTS);
    const addresses = containerOf(objects['Pod test']).command.slice(3);
    assert.deepEqual(
      addresses.map((it) => new URL(it).host),
      ['api', 'web'].map((it) => {
        const { metadata, spec } = objects[`Service ${it}`];
        return `${metadata.name}:${spec.ports[0].port}`;
      }),
    );
    for (const component of ['api', 'web']) {
      const selectors = objects[`NetworkPolicy ${component}`].spec.ingress[0].from.map(
        ({ podSelector }) => podSelector?.matchLabels['app.kubernetes.io/component'],
      );
      assert.ok(selectors.includes('test'), component);
    }
  });

  it('has `helm test` ask the doctor with what the service is given', () => {
    const objects = render(EVERY_VALUE);
    const [, doctor] = podOf(objects['Pod test']).containers;
    const api = containerOf(objects['Deployment api']);
    assert.deepEqual(doctor.args, ['doctor', '--address', 'http://control-plane-api:8000']);
    assert.deepEqual(doctor.envFrom, api.envFrom);
    const own = ['DRAIN_TIMEOUT_SECONDS', 'METRICS_HOST', 'METRICS_PORT', 'ROLES', 'SHUTDOWN_DELAY_SECONDS'];
    assert.deepEqual(
      doctor.env,
      api.env.filter(({ name }) => !own.includes(name)),
    );
    assert.deepEqual(
      doctor.volumeMounts,
      api.volumeMounts.filter(({ name }) => name !== 'tmp'),
    );
  });

  it('fails `helm test` when one of them is not ready', async () => {
    const { command } = containerOf(render(DEFAULTS)['Pod test']);
    const server = createServer(({ url }, reply) => reply.writeHead(url === '/ready' ? 200 : 503).end());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const address = `http://127.0.0.1:${server.address().port}`;
      const outcomeOf = async (...paths) => {
        const child = spawn(process.execPath, [...command.slice(1, 3), ...paths.map((it) => address + it)]);
        return (await once(child, 'close'))[0];
      };
      assert.deepEqual(await Promise.all([outcomeOf('/ready'), outcomeOf('/ready', '/healthz')]), [0, 1]);
    } finally {
      server.close();
    }
  });

  it('restarts the pods that read the Secret by the next upgrade after it has changed', async () => {
    const secrets = ['first', 'first', 'second'].map((value) => ({
      JWT_SECRET: Buffer.from(value).toString('base64'),
    }));
    const sums = [];
    for (const data of secrets) {
      const objects = await renderWithSecret(data);
      const sumOf = (name) =>
        objects[`Deployment ${name}`].spec.template.metadata.annotations?.['checksum/secret'];
      assert.equal(sumOf('web'), undefined);
      sums.push(sumOf('api'));
    }
    assert.match(sums[0], /^[0-9a-f]{64}$/);
    assert.equal(sums[0], sums[1]);
    assert.notEqual(sums[0], sums[2]);
  });
});
