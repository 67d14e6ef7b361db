import { execFileSync } from 'node:child_process';

/** Verdict of V8 on the cached code in a process: `false` if it was accepted. */
function rejection(): string {
  const script = `import { compileBundle } from './dist/src/bundled-program.js';
    console.log(compileBundle('dist/service/bundle.cjs').cachedDataRejected);`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  }).trim();
}

it("V8 takes the service's code that the build has kept", () => {
  expect(rejection()).toBe('false');
});
