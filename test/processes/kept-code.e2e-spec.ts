import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Verdict of V8 on the cached code in a process with these flags: `false` if it was accepted. */
function rejectionWith(flags: readonly string[]): string {
  const script = `import { compileBundle } from './dist/src/bundled-program.js';
    console.log(compileBundle('dist/service/bundle.cjs').cachedDataRejected);`;
  return execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', script], {
    encoding: 'utf8',
  }).trim();
}

const HEAP_FLAG = '--max-semi-space-size=32';

describe("V8's code for the service, kept by the build", () => {
  // the flag of the image and of `npm start`
  it.each([[[]], [[HEAP_FLAG]]])('is taken by a process with the flags %j', (flags) => {
    expect(rejectionWith(flags)).toBe('false');
  });
});

it.each([
  ['the image', 'Dockerfile', /^ENV NODE_OPTIONS=(.+)$/m],
  ['npm start', 'scripts/start.mjs', /'dist\/service\/main\.js', \{[^}]*?flags: \['(.+)'\]/],
])('The service has a larger space for young objects: in %s', (_, file, flags) => {
  expect(flags.exec(readFileSync(file, 'utf8'))?.[1]).toBe(HEAP_FLAG);
});
