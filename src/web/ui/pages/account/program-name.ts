/** Browsers by the word that only they add to `User-Agent`; the order matters. */
const BROWSERS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bEdg\w*\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bFirefox\/(\d+)/, 'Firefox'],
  [/\b(?:Headless)?Chrome\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)(?:\.[\d.]*)? .*Safari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bWindows\b/, 'Windows'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * Name of a browser and its system, `Firefox 140 on Windows`; for any other program the header itself.
 *
 * @param userAgent the header of the sign-in; null: there was none
 */
export function programName(userAgent: string | null): string {
  if (userAgent === null) return 'unknown';
  for (const [sign, name] of BROWSERS) {
    const version = sign.exec(userAgent)?.[1];
    if (version === undefined) continue;
    const system = SYSTEMS.find(([systemSign]) => systemSign.test(userAgent))?.[1];
    return system === undefined ? `${name} ${version}` : `${name} ${version} on ${system}`;
  }
  return userAgent;
}
