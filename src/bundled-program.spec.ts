import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileBundle, keptCodeOf, runBundle } from './bundled-program.js';

const TEXT = `(function (exports, require, module, __filename, __dirname) {
  const { writeFileSync } = require('node:fs');
  const { join } = require('node:path');
  writeFileSync(join(__dirname, 'ran'), __filename);
})`;

describe('A bundled program', () => {
  let folder: string;
  let bundle: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bundle-'));
    bundle = join(folder, 'bundle.cjs');
    writeFileSync(bundle, TEXT);
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const run = () => {
    runBundle(bundle, compileBundle(bundle));
    return readFileSync(join(folder, 'ran'), 'utf8');
  };

  it('runs without kept code', () => {
    expect(run()).toBe(bundle);
  });

  it('runs with the code that was kept', () => {
    writeFileSync(keptCodeOf(bundle), compileBundle(bundle).createCachedData());
    expect(run()).toBe(bundle);
  });

  it('runs with code that V8 refuses', () => {
    writeFileSync(keptCodeOf(bundle), 'the code of another program');
    expect(compileBundle(bundle).cachedDataRejected).toBe(true);
    expect(run()).toBe(bundle);
  });
});
