// Lints and renders the chart with Helm, and checks the result by the schemas of Kubernetes and the service's settings.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { loadAll } from 'js-yaml';
import { readSettings } from '../../dist/src/config/settings.js';
import { readWebSettings } from '../../dist/src/web/web-settings.js';

const here = import.meta.dirname;
const chart = resolve(here, '../../deploy/helm/agent-control-plane');
const DEFAULTS = ['--set', 'existingSecret=control-plane'];
const EVERY_VALUE = ['--values', join(here, 'every-value.yaml')];

function helm(...args) {
  return spawnSync(join(here, 'node_modules/.bin/helm'), args, { encoding: 'utf8' });
}

/** @returns the objects by kind and component, as `Deployment api` */
function render(values) {
  // without a cluster Helm assumes Kubernetes 1.20, which is older than the chart supports
  const { status, stdout, stderr } = helm('template', 'acp', chart, '--kube-version', 'v1.30.0', ...values);
  assert.equal(status, 0, stderr);
  const objects = loadAll(stdout).filter(Boolean);
  const nameOf = ({ kind, metadata }) => `${kind} ${metadata.labels['app.kubernetes.io/component']}`;
  return Object.fromEntries(objects.map((object) => [nameOf(object), object]));
}

/** Module of an object's kind, which has its schema and its type; CloudNativePG's are in no package. */
function modelOf({ apiVersion, kind }) {
  const isOfPrometheus = apiVersion.startsWith('monitoring.coreos.com/');
  const prefix = isOfPrometheus ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  return `${prefix}/${apiVersion}/${kind}`;
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

function containerOf(object) {
  return object.spec.template.spec.containers[0];
}

function environmentOf(object) {
  return Object.fromEntries(
    containerOf(object).env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom]),
  );
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
      const api = environmentOf(objects['Deployment api']);
      // with a database of the operator it is a reference to a Secret
      delete api.DATABASE_URL;
      const web = environmentOf(objects['Deployment web']);
      const settings = readSettings(api);
      const webSettings = readWebSettings(web);
      assert.deepEqual(
        Object.keys(api).filter((it) => !(it in settings)),
        [],
      );
      assert.deepEqual(
        Object.keys(web).filter((it) => !(it in webSettings)),
        [],
      );
    });
  }

  it('renders only known properties', () => {
    const objects = renderings.flatMap(([, values]) => Object.values(render(values)));
    assert.equal(typeErrorsOf(objects.filter(({ kind }) => kind !== 'Cluster')), '');
  });

  it('renders the objects of an installation', () => {
    const both = ['Deployment', 'Service', 'PodDisruptionBudget', 'NetworkPolicy'];
    const always = [...both.flatMap((kind) => [`${kind} api`, `${kind} web`]), 'Job migrate'];
    assert.deepEqual(Object.keys(render(DEFAULTS)).sort(), [...always, 'HorizontalPodAutoscaler api'].sort());
    assert.deepEqual(
      Object.keys(render(EVERY_VALUE)).sort(),
      [...always, 'Cluster postgresql', 'ServiceMonitor api'].sort(),
    );
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
      'settings.DATABASE_POOL_SIZE=40',
    ];
    const objects = render(values);
    const { maxReplicas } = objects['HorizontalPodAutoscaler api'].spec;
    const { max_connections } = objects['Cluster postgresql'].spec.postgresql.parameters;
    assert.ok(Number(max_connections) > (maxReplicas + 1) * (40 + 2));
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
    assert.equal(containerOf(objects['Deployment web']).envFrom, undefined);
    const { status, stderr } = helm('template', 'acp', chart, '--kube-version', 'v1.30.0');
    assert.notEqual(status, 0);
    assert.match(stderr, /existingSecret: name a Secret/);
  });
});
