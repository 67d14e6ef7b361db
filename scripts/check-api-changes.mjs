// Fails when openapi.json removes, renames or narrows something that clients use, unless docs/api-changes.txt declares
// it. Redocly (installed in test/generators) compares the documents; this script decides which changes are breaking,
// because Redocly accepts a renamed schema: HTTP does not change, but code generated from the document no longer
// compiles.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DOCUMENT = 'openapi.json';
const DECLARATIONS = 'docs/api-changes.txt';
const REDOCLY = join(import.meta.dirname, '../test/generators/node_modules/.bin/redocly');
/** Types of the document that a client may refer to, by name, in a request or in a response. */
const REFERRED_TO =
  /^(Schema|Operation|PathItem|Parameter|Response|MediaType|MediaTypesMap|RequestBody|Header|SecurityScheme)$/;

/**
 * Lists the breaking changes, each with a stable id.
 *
 * @param {{ changes: object[] }} report of `redocly diff --format=json`
 * @returns {string[]} `property-removed #/components/schemas/Agent/properties/name`, in the document's order
 */
export function breakingChanges({ changes }) {
  return [...new Set(changes.flatMap(breakingChange))];
}

function breakingChange(change) {
  const { kind, typeName, property, verdicts, impact } = change;
  const from = change.base?.value;
  const to = change.revision?.value;
  const [rule] = verdicts;
  const isBreaking =
    impact === 'major' ||
    (kind === 'removed' && REFERRED_TO.test(typeName)) ||
    (kind === 'modified' && property === 'type') ||
    (kind === 'modified' && property === 'enum' && lost(from, to).length > 0);
  if (!isBreaking) return [];
  const name = rule?.ruleId ?? [typeName.toLowerCase(), property, kind].filter(Boolean).join('-');
  const place = (change.base ?? change.revision).pointer;
  return [`${name} ${place}${kind === 'modified' ? ` (${difference(from, to)})` : ''}`];
}

function lost(from, to) {
  return [from ?? []].flat().filter((value) => ![to ?? []].flat().includes(value));
}

function difference(from, to) {
  if (!Array.isArray(from ?? to)) return `${shown(from)} -> ${shown(to)}`;
  return [...lost(from, to).map((value) => `-${value}`), ...lost(to, from).map((value) => `+${value}`)].join(
    ' ',
  );
}

function shown(value) {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/**
 * The ids in lines `- \`id\` (version, date): reason`. Lines that existed before the change belong to other changes: a
 * part that has come back needs a new declaration for its next removal.
 *
 * @param {string} text the declarations
 * @param {string} [earlier] the declarations at the revision of comparison
 * @throws Error naming an invalid line
 */
export function declaredChanges(text, earlier = '') {
  const linesOf = (declarations) => declarations.split('\n').filter((line) => line.startsWith('- `'));
  const old = new Set(linesOf(earlier));
  const lines = linesOf(text).filter((line) => !old.has(line));
  return lines.map((line) => {
    const declared = /^- `([^`]+)` \(\d+\.\d+\.\d+, \d{4}-\d\d-\d\d\): \S.*$/.exec(line);
    if (!declared) throw new Error(`${DECLARATIONS}: a line without version, date and reason: ${line}`);
    return declared[1];
  });
}

/** Returns true if a declaration covers this change: a `*` in it stands for one step of the path. */
export function covers(declaration, id) {
  const parts = declaration.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/ ]+')}$`).test(id);
}

function git(...args) {
  return execFileSync('git', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 26,
  }).trim();
}

function tryGit(...args) {
  try {
    return git(...args);
  } catch {
    return undefined;
  }
}

/**
 * The revision of comparison: the commit where this branch left the main line; on the main line the last commit, or, if
 * that has the present document, the version before its last change.
 *
 * @returns a revision, or undefined if the history is too short
 */
function baseRevision() {
  if (process.env.API_BASE) return process.env.API_BASE;
  const head = tryGit('rev-parse', 'HEAD');
  if (!head) return undefined;
  for (const mainLine of ['origin/main', 'main']) {
    const fork = tryGit('merge-base', 'HEAD', mainLine);
    if (fork && fork !== head) return fork;
  }
  if (tryGit('show', `HEAD:${DOCUMENT}`) !== readFileSync(DOCUMENT, 'utf8').trim()) return head;
  return git('log', '--format=%H', '-2', '--', DOCUMENT).split('\n')[1];
}

function report(base) {
  const folder = mkdtempSync(join(tmpdir(), 'api-changes-'));
  try {
    const old = join(folder, DOCUMENT);
    writeFileSync(old, base);
    const args = ['diff', old, DOCUMENT, '--format=json', '--fail-on=none'];
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off' };
    const { stdout, stderr, status } = spawnSync(REDOCLY, args, {
      encoding: 'utf8',
      env,
      maxBuffer: 2 ** 28,
    });
    if (status !== 0) throw new Error(`redocly diff ended with ${status}\n${stderr}`);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function main() {
  const revision = baseRevision();
  const base = revision && tryGit('show', `${revision}:${DOCUMENT}`);
  if (!base) {
    console.log(`No earlier ${DOCUMENT} to compare with: there is no history, or not enough of it.`);
    return;
  }
  const changes = breakingChanges(report(base));
  const declarations = existsSync(DECLARATIONS) ? readFileSync(DECLARATIONS, 'utf8') : '';
  const declared = declaredChanges(declarations, tryGit('show', `${revision}:${DECLARATIONS}`));
  const undeclared = changes.filter((id) => !declared.some((declaration) => covers(declaration, id)));
  const old = declared.filter((declaration) => !changes.some((id) => covers(declaration, id)));
  if (old.length > 0) console.log(`Declared, and not among the changes since ${revision}: ${old.length}`);
  console.log(`Since ${revision}: ${changes.length} breaking changes, ${undeclared.length} not declared`);
  if (undeclared.length === 0) return;
  for (const id of undeclared) console.log(`  ${id}`);
  console.log(`Take them back, or declare each in ${DECLARATIONS}.`);
  process.exitCode = 1;
}

if (process.argv[1] === import.meta.filename) main();
