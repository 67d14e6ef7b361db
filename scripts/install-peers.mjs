// Installs the products that `npm run bench -- --peers` compares with, each in a folder of its own: the project's
// dependencies stay as they are.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './ensure-installed.mjs';
import { Problem, root, say } from './project.mjs';

const WANTED = join(root, 'bench', 'peers');
/** Below `node_modules`, where no tool of the project reads. */
const INSTALLED = join(root, 'node_modules', '.cache', 'peers');
const LOCK = 'package-lock.json';
/** Copy of the lock file, written after npm has finished. */
const PROOF = 'installed-lock.json';

function isInstalled(name) {
  const proof = join(INSTALLED, name, PROOF);
  return existsSync(proof) && readFileSync(proof, 'utf8') === readFileSync(join(WANTED, name, LOCK), 'utf8');
}

/** A peer that can't be installed is left out: the bench names it in its table, and measures the others. */
export function installPeers() {
  const names = readdirSync(WANTED).filter((name) => existsSync(join(WANTED, name, LOCK)));
  for (const name of names.filter((it) => !isInstalled(it))) {
    say(`Installing ${name} (npm ci; a minute or two)`);
    const folder = join(INSTALLED, name);
    mkdirSync(folder, { recursive: true });
    for (const file of ['package.json', LOCK]) copyFileSync(join(WANTED, name, file), join(folder, file));
    try {
      // an install script of theirs would fetch or compile what is not needed here
      npm(['ci', '--ignore-scripts'], folder);
      copyFileSync(join(WANTED, name, LOCK), join(folder, PROOF));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(error.message);
    }
  }
}
