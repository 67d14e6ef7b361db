import { execFileSync } from 'node:child_process';

/** Verdict of V8 on the cached code in a process with these flags: `false` if it was accepted. */
function rejectionWith(flags: readonly string[]): string {
  const script = `import { compileBundle } from './dist/src/bundled-program.js';
    console.log(compileBundle('dist/service/bundle.cjs').cachedDataRejected);`;
  return execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', script], {
    encoding: 'utf8',
  }).trim();
}

describe("V8's code for the service, kept by the build", () => {
  // the flag of the image and of `npm start`
  it.each([[[]], [['--max-semi-space-size=32']]])('is taken by a process with the flags %j', (flags) => {
    expect(rejectionWith(flags)).toBe('false');
  });
});
