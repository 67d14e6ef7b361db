import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

const path = findPackageJSON(import.meta.url);
if (!path) throw new Error('package.json is missing');

/** Name and version from this program's package.json. */
export const { name, version } = JSON.parse(readFileSync(path, 'utf8')) as Record<'name' | 'version', string>;
