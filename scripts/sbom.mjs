// Writes a software bill of materials (CycloneDX) made from the lock file, and fails if a locked package is missing in it.
//
//   npm run sbom -- [FILE]      sbom.json without a name
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main, Problem, root, say } from './project.mjs';

/** The packages of the lock file by name and version; the project's own packages are its folders. */
function lockedPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .map(([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`);
}

function makeBill() {
  // only the lock file is read, so optional packages of other machines are in it, too
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error'];
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Problem(`npm sbom failed:\n${stderr}`);
  return stdout;
}

await main(() => {
  const [file = 'sbom.json'] = process.argv.slice(2);
  const bill = makeBill();
  // the name is not compared, because it differs for a package that is installed under an alias
  const named = new Set(JSON.parse(bill).components.map((component) => component['bom-ref']));
  const locked = new Set(lockedPackages());
  const missing = [...locked].filter((it) => !named.has(it));
  if (missing.length > 0) throw new Problem(`The bill of materials lacks ${missing.join(', ')}`);
  writeFileSync(file, bill);
  say(`${file} names ${locked.size} packages of package-lock.json`);
});
