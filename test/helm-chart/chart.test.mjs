// Lints and renders the chart with Helm, and checks the result by the schemas of Kubernetes and the service's settings.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { readSettings } from '../../dist/src/config/settings.js';
import { readWebSettings } from '../../dist/src/web/web-settings.js';
import {
  chart,
  containerOf,
  DEFAULTS,
  environmentOf,
  EVERY_VALUE,
  helm,
  here,
  render,
  template,
} from './render.mjs';

const PACKAGES = {
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
};

/** Module of an object's kind, which has its schema and its type; CloudNativePG's are in no package. */
function modelOf({ apiVersion, kind }) {
  const [group] = apiVersion.split('/');
  return `${PACKAGES[group] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;
}

/** The schemas accept unknown properties, which Kubernetes would ignore; the compiler refuses them in a literal. */
function typeErrorsOf(objects) {
  const folder = mkdtempSync(join(here, 'rendered-'));
  try {
    const lines = objects.map(
      (object, index) =>
        `import type { I${object.kind} as T${index} } from '${modelOf(object)}';\n` +
        `export const o${index}: T${index} = ${JSON.stringify(object, null, 1)};\n`,
    );
    writeFileSync(join(folder, 'objects.ts'), lines.join(''));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--module', 'nodenext'];
    return spawnSync(resolve(here, '../../node_modules/.bin/tsc'), [...options, 'objects.ts'], {
      cwd: folder,
      encoding: 'utf8',
    }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const renderings = [
  ['its defaults', DEFAULTS],
  ['every value set', EVERY_VALUE],
];

describe('The Helm chart', () => {
  for (const [name, values] of renderings) {
    it(`passes Helm's linter, with ${name}`, () => {
      const { status, stdout } = helm('lint', '--strict', chart, ...values);
      assert.equal(status, 0, stdout);
    });

    it(`renders objects that Kubernetes accepts, with ${name}`, async () => {
      for (const object of Object.values(render(values))) {
        if (object.kind === 'Cluster') continue;
        const { [object.kind]: Model } = await import(modelOf(object));
        new Model(object).validate();
      }
    });

    it(`sets only variables that are settings, to values that the servers accept, with ${name}`, () => {
      const objects = render(values);
      for (const [name, readTheirs] of [
        ['api', readSettings],
        ['worker', readSettings],
        ['web', readWebSettings],
      ]) {
        const deployment = objects[`Deployment ${name}`];
        if (!deployment) continue;
        // what refers to a Secret has no value here; Node itself reads the authorities
        const environment = environmentOf(deployment);
        delete environment.NODE_EXTRA_CA_CERTS;
        const given = Object.entries(environment).filter(([, value]) => typeof value === 'string');
        const settings = readTheirs(Object.fromEntries(given));
        assert.deepEqual(
          Object.keys(environment).filter((it) => !(it in settings)),
          [],
        );
      }
    });
  }

  it('renders only known properties', () => {
    const objects = renderings.flatMap(([, values]) => Object.values(render(values)));
    assert.equal(typeErrorsOf(objects.filter(({ kind }) => kind !== 'Cluster')), '');
  });

  it('renders the objects of an installation', () => {
    const both = ['Deployment', 'Service', 'PodDisruptionBudget', 'NetworkPolicy'];
    const always = [
      ...both.flatMap((kind) => [`${kind} api`, `${kind} web`]),
      'Job migrate',
      'Pod test',
      'ServiceAccount migrate',
      'ServiceAccount servers',
    ];
    assert.deepEqual(Object.keys(render(DEFAULTS)).sort(), [...always, 'HorizontalPodAutoscaler api'].sort());
    const turnedOn = [
      ...both.map((kind) => `${kind} worker`),
      'Cluster postgresql',
      'ConfigMap api',
      'HTTPRoute api',
      'HTTPRoute web',
      'Ingress servers',
      'NetworkPolicy migrate',
      'PrometheusRule api',
      'ServiceMonitor api',
    ];
    assert.deepEqual(Object.keys(render(EVERY_VALUE)).sort(), [...always, ...turnedOn].sort());
  });

  it('gives an instance more time to end than the service may take', () => {
    const { spec } = render(DEFAULTS)['Deployment api'].spec.template;
    const { SHUTDOWN_DELAY_SECONDS, DRAIN_TIMEOUT_SECONDS } = environmentOf({ spec: { template: { spec } } });
    assert.ok(
      spec.terminationGracePeriodSeconds > Number(SHUTDOWN_DELAY_SECONDS) + Number(DRAIN_TIMEOUT_SECONDS) + 3,
    );
    const { periodSeconds, failureThreshold } = spec.containers[0].readinessProbe;
    assert.ok(Number(SHUTDOWN_DELAY_SECONDS) > periodSeconds * failureThreshold);
  });

  it('renders a database with connections for all instances and the extra one of an upgrade', () => {
    const values = [
      ...DEFAULTS,
      '--set',
      'postgresql.enabled=true',
      '--set',
      'settings.DATABASE_POOL_SIZE=40,worker.enabled=true,worker.replicas=3',
    ];
    const objects = render(values);
    const { maxReplicas } = objects['HorizontalPodAutoscaler api'].spec;
    const { max_connections } = objects['Cluster postgresql'].spec.postgresql.parameters;
    assert.ok(Number(max_connections) > (maxReplicas + 3 + 1) * (40 + 2));
  });

  it('has Prometheus scrape the service as the job of the alert rules', () => {
    const objects = render(EVERY_VALUE);
    const { jobLabel } = objects['ServiceMonitor api'].spec;
    const rules = readFileSync(resolve(here, '../../deploy/prometheus/alerts.yaml'), 'utf8');
    const jobs = [...rules.matchAll(/job="(.+?)"/g)].map(([, job]) => job);
    assert.deepEqual(new Set(jobs), new Set([objects['Service api'].metadata.labels[jobLabel]]));
  });

  it('refers to a Secret for the settings of the service, and contains no secret', () => {
    const objects = render(DEFAULTS);
    assert.deepEqual(containerOf(objects['Deployment api']).envFrom, [
      { secretRef: { name: 'control-plane' } },
    ]);
    assert.deepEqual(environmentOf(objects['Job migrate']).DATABASE_URL, {
      secretKeyRef: { name: 'control-plane', key: 'DATABASE_URL' },
    });
    assert.deepEqual(environmentOf(objects['Job migrate']).DATABASE_DIRECT_URL, {
      secretKeyRef: { name: 'control-plane', key: 'DATABASE_DIRECT_URL', optional: true },
    });
    assert.deepEqual(environmentOf(objects['Job migrate']).TELEMETRY_DATABASE_URL, {
      secretKeyRef: { name: 'control-plane', key: 'TELEMETRY_DATABASE_URL', optional: true },
    });
    assert.equal(containerOf(objects['Deployment web']).envFrom, undefined);
    const { status, stderr } = template();
    assert.notEqual(status, 0);
    assert.match(stderr, /existingSecret: name a Secret/);
  });
});
