import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

const path = findPackageJSON(import.meta.url);

/** The version of this very package. */
export const version = path
  ? (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
  : 'unknown';
