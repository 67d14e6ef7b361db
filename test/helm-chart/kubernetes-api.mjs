// As much of the API of Kubernetes as `helm install` needs: with a dry run, this Helm looks nothing up.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chart, DEFAULTS, helmBeside, render } from './render.mjs';

const PLURALS = { NetworkPolicy: 'networkpolicies' };
const plural = (kind) => PLURALS[kind] ?? `${kind.toLowerCase()}s`;

/** Kinds by the version of their API. */
function kindsOf(objects) {
  const kinds = new Map([['v1', new Set(['Secret'])]]);
  for (const { apiVersion, kind } of objects) {
    kinds.set(apiVersion, (kinds.get(apiVersion) ?? new Set()).add(kind));
  }
  return kinds;
}

function answerOf(path, kinds, secret) {
  if (path === '/version') return { major: '1', minor: '30', gitVersion: 'v1.30.0' };
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis') {
    const groups = [...kinds.keys()].filter((it) => it !== 'v1');
    return {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: groups.map((groupVersion) => {
        const [name, version] = groupVersion.split('/');
        const known = { groupVersion, version };
        return { name, versions: [known], preferredVersion: known };
      }),
    };
  }
  const [, groupVersion] = /^\/apis?\/((?:[^/]+\/)?v[0-9a-z]+)$/.exec(path) ?? [];
  if (kinds.has(groupVersion)) {
    const resources = [...kinds.get(groupVersion)].map((kind) => ({
      name: plural(kind),
      singularName: '',
      namespaced: true,
      kind,
      verbs: ['get', 'list', 'create'],
    }));
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
  }
  if (path === '/api/v1/namespaces/default/secrets/control-plane') return secret;
  if (path === '/api/v1/namespaces/default/secrets')
    return { kind: 'SecretList', apiVersion: 'v1', items: [] };
  return undefined;
}

const NOT_FOUND = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };

async function answer(request, reply, found, created) {
  reply.setHeader('Content-Type', 'application/json');
  const body = await text(request);
  if (request.method === 'GET') {
    const { pathname } = new URL(request.url, 'http://cluster');
    const known = found(pathname);
    reply.writeHead(known ? 200 : 404).end(JSON.stringify(known ?? NOT_FOUND));
    return;
  }
  if (request.method === 'POST') {
    const object = JSON.parse(body);
    created[`${object.kind} ${object.metadata.labels?.['app.kubernetes.io/component']}`] = object;
  }
  reply.writeHead(request.method === 'POST' ? 201 : 200).end(body);
}

/** @returns the objects of the default values, for a cluster in which the Secret has these data */
export async function renderWithSecret(data) {
  const kinds = kindsOf(Object.values(render(DEFAULTS)));
  const metadata = { name: 'control-plane', namespace: 'default' };
  const secret = { kind: 'Secret', apiVersion: 'v1', metadata, data };
  const created = {};
  const server = createServer((request, reply) => {
    void answer(request, reply, (path) => answerOf(path, kinds, secret), created);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'kube-'));
  try {
    const config = join(folder, 'config');
    const cluster = { server: `http://127.0.0.1:${server.address().port}` };
    const context = { cluster: 'fake', user: 'nobody', namespace: 'default' };
    writeFileSync(
      config,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'fake', cluster }],
        users: [{ name: 'nobody', user: {} }],
        contexts: [{ name: 'fake', context }],
        'current-context': 'fake',
      }),
    );
    await helmBeside(
      { KUBECONFIG: config, HOME: folder },
      ...['install', 'acp', chart, '--no-hooks', '--disable-openapi-validation', ...DEFAULTS],
    );
    return created;
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
}
