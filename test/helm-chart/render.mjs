// Renders the chart with Helm.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { loadAll } from 'js-yaml';

export const here = import.meta.dirname;
export const chart = resolve(here, '../../deploy/helm/agent-control-plane');
export const DEFAULTS = ['--set', 'existingSecret=control-plane'];
export const EVERY_VALUE = ['--values', join(here, 'every-value.yaml')];

const program = join(here, 'node_modules/.bin/helm');

export function helm(...args) {
  return spawnSync(program, args, { encoding: 'utf8' });
}

/** The same for a Helm that asks a server of this process. */
export function helmBeside(environment, ...args) {
  return promisify(execFile)(program, args, { env: { ...process.env, ...environment } });
}

/** Helm's own answer to values, for those that it refuses. */
export function template(...values) {
  // without a cluster Helm assumes Kubernetes 1.20, which is older than the chart supports
  return helm('template', 'acp', chart, '--kube-version', 'v1.30.0', ...values);
}

const rendered = new Map();

/** @returns the objects by kind and component, as `Deployment api` */
export function render(values) {
  const key = values.join('\n');
  if (!rendered.has(key)) {
    const { status, stdout, stderr } = template(...values);
    assert.equal(status, 0, stderr);
    rendered.set(key, byName(stdout));
  }
  return structuredClone(rendered.get(key));
}

export function byName(text) {
  const objects = loadAll(text).filter(Boolean);
  const nameOf = ({ kind, metadata }) => `${kind} ${metadata.labels['app.kubernetes.io/component']}`;
  const names = objects.map(nameOf);
  assert.deepEqual(names, [...new Set(names)]);
  return Object.fromEntries(objects.map((object) => [nameOf(object), object]));
}

/** The specification of a Deployment's or Job's pods. */
export function podOf(object) {
  return object.kind === 'Pod' ? object.spec : object.spec.template.spec;
}

export function containerOf(object) {
  return podOf(object).containers[0];
}

export function environmentOf(object) {
  return Object.fromEntries(
    containerOf(object).env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom]),
  );
}
