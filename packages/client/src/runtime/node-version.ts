/** The version of package.json's `engines`. */
const OLDEST = [20, 19] as const;

/**
 * @param version of the running Node, like `24.1.0`
 * @throws Error naming the required Node: an older one would fail later, at a missing feature
 */
export function assertNodeIsNewEnough(version = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new Error(
    `@agent-control-plane/client needs Node ${OLDEST.join('.')} or newer, and this is Node ${version}: install a newer one`,
  );
}
