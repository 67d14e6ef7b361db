// Installs the products of the comparison `npm run bench -- --peers`, each in a separate folder, so that the project's
// dependencies stay unchanged.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './ensure-installed.mjs';
import { Problem, root, say } from './project.mjs';

const WANTED = join(root, 'bench', 'peers');
/** Below `node_modules`, which the project's tools ignore. */
const INSTALLED = join(root, 'node_modules', '.cache', 'peers');
const LOCK = 'package-lock.json';
/** Copy of the lock file, written after a complete install. */
const PROOF = 'installed-lock.json';

function isInstalled(name) {
  const proof = join(INSTALLED, name, PROOF);
  return existsSync(proof) && readFileSync(proof, 'utf8') === readFileSync(join(WANTED, name, LOCK), 'utf8');
}

/**
 * Installs the peers. One that can't be installed is left out: the bench names it in its table, and measures the
 * others.
 */
export async function installPeers() {
  const names = readdirSync(WANTED).filter((name) => existsSync(join(WANTED, name, LOCK)));
  for (const name of names.filter((it) => !isInstalled(it))) {
    say(`Installing ${name} (npm ci; a minute or two)`);
    const folder = join(INSTALLED, name);
    mkdirSync(folder, { recursive: true });
    for (const file of ['package.json', LOCK]) copyFileSync(join(WANTED, name, file), join(folder, file));
    try {
      // their install scripts would fetch or compile parts that are not needed here
      await npm(['ci', '--ignore-scripts'], folder);
      copyFileSync(join(WANTED, name, LOCK), join(folder, PROOF));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(error.message);
    }
  }
}
