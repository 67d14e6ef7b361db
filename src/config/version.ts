import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

interface PackageDescription {
  readonly name: string;
  readonly version: string;
  readonly description: string;
}

const path = findPackageJSON(import.meta.url);
if (!path) throw new Error('package.json is missing');

/** Name, version and description from this program's package.json. */
export const { name, version, description } = JSON.parse(readFileSync(path, 'utf8')) as PackageDescription;
