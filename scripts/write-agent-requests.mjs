// npm run client: extracts the requests of agents from openapi.json, for packages/conformance.
import { readFileSync, writeFileSync } from 'node:fs';

const OPERATIONS = [
  'registerAgent',
  'sendHeartbeat',
  'pollCommands',
  'acknowledgeCommand',
  'submitLogs',
  'submitMetrics',
  'claimRuns',
  'reportRuns',
  'askApproval',
  'waitForApproval',
  'withdrawApproval',
  'getOwnStatus',
];
const FILE = 'packages/conformance/src/generated/agent-requests.ts';

const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8'));

/** @param {{ $ref?: string }} it a value, or a reference to one */
function resolved(it) {
  return it?.$ref
    ? it.$ref
        .split('/')
        .slice(1)
        .reduce((value, name) => value[name], { components })
    : it;
}

/** The names of all schemas to which a value refers, directly or through others. */
function schemasOf(value, found = new Set()) {
  for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    schemasOf(components.schemas[name], found);
  }
  return [...found].sort();
}

const operations = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .filter(({ operationId }) => OPERATIONS.includes(operationId))
  .map(({ operationId, parameters = [], requestBody }) => ({
    operationId,
    parameters: parameters.map(resolved),
    requestBody: resolved(requestBody),
  }));
const missing = OPERATIONS.filter((name) => !operations.some(({ operationId }) => operationId === name));
if (missing.length > 0) throw new Error(`openapi.json has no operation ${missing.join(', ')}`);
const schemas = Object.fromEntries(schemasOf(operations).map((name) => [name, components.schemas[name]]));
const document = JSON.stringify({ operations, components: { schemas } }, undefined, 2);
writeFileSync(process.argv[2] ?? FILE, `export const AGENT_REQUESTS: unknown = ${document};\n`);
